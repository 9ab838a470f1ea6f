/// The identity of a store: the 16 bytes of a UUID, as they stand in its file.
struct StoreIdentity: Hashable, Sendable {
  /// The first eight bytes.
  var high: UInt64
  /// The last eight bytes.
  var low: UInt64
}
