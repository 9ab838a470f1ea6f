struct StoreIdentity: Equatable, Sendable {
  var high: UInt64
  var low: UInt64
}
