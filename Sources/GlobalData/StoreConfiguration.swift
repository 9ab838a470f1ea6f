extension GlobalData {
  /// How a store behaves. The defaults suit an app's own data.
  public struct Configuration: Sendable {
    /// What a write that returned survives; see ``Durability``.
    public var durability = Durability.powerLoss

    /// What the store's file may hold.
    public var limits = ArchiveLimits()

    /// The types that are read without being named.
    public var registry = TypeRegistry.shared

    /// The default configuration.
    public init() {}
  }
}
