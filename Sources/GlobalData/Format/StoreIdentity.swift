struct StoreIdentity: Hashable, Sendable {
  var high: UInt64
  var low: UInt64
}
