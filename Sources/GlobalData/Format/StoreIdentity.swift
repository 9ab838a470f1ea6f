/// The identity of a store: the 16 bytes of a UUID, as they stand in its file.
struct StoreIdentity: Hashable, Sendable {
  var high: UInt64
  var low: UInt64
}
