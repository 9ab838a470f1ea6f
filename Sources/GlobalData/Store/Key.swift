import CodingSupport
import FoundationCore

extension GlobalData {
  /// The namespace in which an app declares its keys.
  ///
  /// Declare each key once, with the type and the default of its value.
  ///
  /// ```swift
  /// extension GlobalData.Keys {
  ///   static let visits = Key("visits", default: 0)
  ///   static let nickname = Key<String?>("nickname")
  /// }
  ///
  /// let visits = GlobalData[.visits]
  /// ```
  // `@unchecked` because the compiler cannot check a class that is not final. The class has a single constant, of a
  // Sendable type. The only subclass is final and has its own proof. There is no other subclass, because only this file
  // can call the initializer.
  public class Keys: @unchecked Sendable, Hashable {
    /// The type of a key, under the name used in key declarations.
    public typealias Key = GlobalData.Key

    /// The key under which the value is stored.
    public let name: String

    fileprivate init(_ name: String) { self.name = name }

    /// Returns whether two keys have equal names, whatever the types of their values.
    public static func == (one: Keys, other: Keys) -> Bool { one.name == other.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A key with the type and the default of its value. See ``Keys``.
  // `@unchecked` because the default need not be Sendable. ``Default`` explains why no two actors share such a default.
  public final class Key<Value: Codable>: Keys, @unchecked Sendable {
    private let `default`: Default<Value>
    let reuse: Reuse

    /// Creates a key with a default, which reads return as long as no value is set.
    ///
    /// The default is computed when the key is created. For a `static let`, this happens once per process, so every
    /// read returns the same default until a value is set, or a copy if the default contains class instances. The
    /// default is not stored, so the next process computes its own.
    ///
    /// - Parameters:
    ///   - name: The key under which the value is stored: 1 to 1,024 bytes.
    ///   - defaultValue: The default.
    public init(_ name: String, default defaultValue: Value) where Value: Sendable {
      `default` = Default(sharing: defaultValue)
      reuse = .anywhere
      super.init(name)
    }

    /// Creates a key with a default of a type that is not known to be `Sendable`.
    ///
    /// Reads return the default as long as no value is set. Each read returns a copy of the default with its own
    /// instances. The default is computed and encoded when the key is created.
    ///
    /// - Parameters:
    ///   - name: The key under which the value is stored: 1 to 1,024 bytes.
    ///   - defaultValue: The default. A default that cannot be encoded must be created on the main thread, and can be
    ///     read only there.
    public init(_ name: String, default defaultValue: Value) {
      `default` = Default(copying: defaultValue)
      reuse = .onMainThread
      super.init(name)
    }

    /// Creates a key without a default.
    ///
    /// Reads return `nil` as long as no value is set. Setting `nil` removes the value.
    ///
    /// - Parameter name: The key under which the value is stored: 1 to 1,024 bytes.
    public init<Wrapped: Sendable>(_ name: String) where Value == Wrapped? {
      `default` = .shared(nil)
      reuse = .anywhere
      super.init(name)
    }

    /// Creates a key without a default, with a value type that is not known to be `Sendable`.
    ///
    /// - Parameter name: The key under which the value is stored: 1 to 1,024 bytes.
    public init<Wrapped>(_ name: String) where Value == Wrapped? {
      `default` = .shared(nil)
      reuse = .onMainThread
      super.init(name)
    }

    var defaultValue: Value { `default`.value(of: name) }

    /// Whether each reader gets a copy of the default, because the default may contain class instances.
    var copiesDefault: Bool {
      if case .copied(_, onMainThread: nil) = `default` { true } else { false }
    }
  }
}

private indirect enum Default<Value: Codable> {
  /// A value that all actors may share: Sendable or `nil`, without class instances.
  case shared(Value)
  /// The encoded value. Each read decodes a copy. A value without visible class instances that was created on the main
  /// thread is read there without a copy.
  case copied(Data, onMainThread: Value?)
  /// The reason why the value cannot be encoded. A value that was created on the main thread can be read there.
  case notEncodable(any Error, onMainThread: Value?)

  /// Creates a default from a value whose type is Sendable.
  ///
  /// A value that contains a class instance is copied anyway, so that changes are made to a copy, as with a stored
  /// value.
  init(sharing value: Value) {
    self = Default.encodedInstances(in: value).map { .copied($0, onMainThread: nil) } ?? .shared(value)
  }

  /// Returns the encoded value if it contains a class instance.
  private static func encodedInstances(in value: Value) -> Data? {
    if SelfDescribingScalars.contains(Value.self) { return nil }
    // What cannot be encoded cannot be stored either, and what is Sendable can be shared.
    guard let data = try? KeyedArchiveEncoder().encode(value), let copy = try? decodeAgain(data) else { return nil }
    return copy.isRepeatable ? nil : data
  }

  init(copying value: Value) {
    do {
      let data = try KeyedArchiveEncoder().encode(value)
      let copy = try Default.decodeAgain(data)
      self = .copied(data, onMainThread: copy.isRepeatable && MainQueue.isCurrent ? copy.value : nil)
    } catch {
      self = .notEncodable(error, onMainThread: MainQueue.isCurrent ? value : nil)
    }
  }

  private static func decodeAgain(_ data: Data) throws -> (value: Value, isRepeatable: Bool) {
    try KeyedArchiveDecoder().decodeNotingRepeatability(Value.self, from: SharedBytes(copying: data))
  }

  func value(of key: String) -> Value {
    switch self {
    case .shared(let value): return value
    case .copied(_, let value?) where MainQueue.isCurrent: return value
    case .notEncodable(_, let value?) where MainQueue.isCurrent: return value
    case .copied(let data, _): return Default.copy(data, of: key)
    case .notEncodable(let error, _):
      preconditionFailure("The default of the key \(key.quoted) cannot be copied for this thread: \(error)")
    }
  }

  private static func copy(_ data: Data, of key: String) -> Value {
    do {
      return try KeyedArchiveDecoder().decode(Value.self, from: data)
    } catch {
      // The same data was decoded successfully when the key was created.
      preconditionFailure("The default of the key \(key.quoted) cannot be decoded again: \(error)")
    }
  }
}
