extension GlobalData {
  /// Where an app declares its keys, so that each is written once, with the type and the default of its value.
  ///
  /// ```swift
  /// extension GlobalData.Keys {
  ///   static let visits = GlobalData.Key("visits", default: 0)
  ///   static let nickname = GlobalData.Key<String?>("nickname")
  /// }
  ///
  /// let visits = GlobalData[.visits]
  /// ```
  // `@unchecked` because a class that others inherit from cannot be checked. It has one constant of a Sendable type, and
  // its only subclass, which is final, has one more: only this file can call the initializer.
  public class Keys: @unchecked Sendable {
    /// The key under which the value is stored.
    public let name: String

    fileprivate init(_ name: String) {
      self.name = name
    }
  }

  /// A key with the type and the default of its value; see ``Keys``.
  public final class Key<Value: Codable & Sendable>: Keys, @unchecked Sendable {
    /// The value where none is set.
    public let defaultValue: Value

    /// A key whose value is a default as long as none is set.
    ///
    /// The default is computed when the key is made, which for a `static let` is once in a process: every read gives the same value
    /// until one is set. It is not stored, so the next process computes its own.
    ///
    /// - Parameters:
    ///   - name: The key under which the value is stored: 1 to 1,024 bytes.
    ///   - defaultValue: The default.
    public init(_ name: String, default defaultValue: Value) {
      self.defaultValue = defaultValue
      super.init(name)
    }

    /// A key without a default: its value is `nil` where there is none, and setting `nil` removes it.
    ///
    /// - Parameter name: The key under which the value is stored: 1 to 1,024 bytes.
    public init<Wrapped>(_ name: String) where Value == Wrapped? {
      defaultValue = nil
      super.init(name)
    }
  }
}
