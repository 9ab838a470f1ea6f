/// A random number that tells a store's file from those of other stores. After a clear, the store gets a new one.
struct StoreIdentity: Equatable, Sendable {
  var high: UInt64
  var low: UInt64
}
