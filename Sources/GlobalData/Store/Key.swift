import CodingSupport
import FoundationCore

extension GlobalData {
  /// The namespace in which an app declares its keys, each once, with the type and the default of its value.
  ///
  /// ```swift
  /// extension GlobalData.Keys {
  ///   static let visits = Key("visits", default: 0)
  ///   static let nickname = Key<String?>("nickname")
  /// }
  ///
  /// let visits = GlobalData[.visits]
  /// ```
  // `@unchecked` because a class that others inherit from cannot be checked. It has one constant of a Sendable type,
  // and its only subclass, which is final, proves its own: only this file can call the initializer.
  public class Keys: @unchecked Sendable, Hashable {
    /// A key, by the name that it has where keys are declared.
    public typealias Key = GlobalData.Key

    /// The key under which the value is stored.
    public let name: String

    fileprivate init(_ name: String) {
      self.name = name
    }

    /// Keys are equal when their names are, whatever the types of their values.
    public static func == (one: Keys, other: Keys) -> Bool { one.name == other.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// A key with the type and the default of its value; see ``Keys``.
  // `@unchecked` because of the default, which need not be Sendable; ``Default`` says why no two actors share it.
  public final class Key<Value: Codable>: Keys, @unchecked Sendable {
    private let `default`: Default<Value>
    let reuse: Reuse

    /// A key whose value is a default as long as none is set.
    ///
    /// The default is computed when the key is made, which for a `static let` is once in a process: every read gives
    /// the same value until one is set. It is not stored, so the next process computes its own.
    ///
    /// - Parameters:
    ///   - name: The key under which the value is stored: 1 to 1,024 bytes.
    ///   - defaultValue: The default.
    public init(_ name: String, default defaultValue: Value) where Value: Sendable {
      `default` = Default(sharing: defaultValue)
      reuse = .anywhere
      super.init(name)
    }

    /// A key whose value is a default as long as none is set, of a type that is not known to be `Sendable`.
    ///
    /// Each read gives a copy of the default with instances of its own. The default is computed and encoded when the
    /// key is made.
    ///
    /// - Parameters:
    ///   - name: The key under which the value is stored: 1 to 1,024 bytes.
    ///   - defaultValue: The default. One that cannot be encoded can be read on the main thread only, and has to be
    ///     made there.
    public init(_ name: String, default defaultValue: Value) {
      `default` = Default(copying: defaultValue)
      reuse = .onMainThread
      super.init(name)
    }

    /// A key without a default: its value is `nil` where there is none, and setting `nil` removes it.
    ///
    /// - Parameter name: The key under which the value is stored: 1 to 1,024 bytes.
    public init<Wrapped: Sendable>(_ name: String) where Value == Wrapped? {
      `default` = .shared(nil)
      reuse = .anywhere
      super.init(name)
    }

    /// A key without a default, of a type that is not known to be `Sendable`.
    ///
    /// - Parameter name: The key under which the value is stored: 1 to 1,024 bytes.
    public init<Wrapped>(_ name: String) where Value == Wrapped? {
      `default` = .shared(nil)
      reuse = .onMainThread
      super.init(name)
    }

    var defaultValue: Value { `default`.value(of: name) }

    /// Whether each reader gets a copy of the default, which may hold instances of classes.
    var copiesDefault: Bool {
      if case .encoded = `default` { true } else { false }
    }
  }
}

private indirect enum Default<Value: Codable> {
  /// A value that all actors may share: Sendable or `nil`, without instances of classes.
  case shared(Value)
  /// The encoded value; each read decodes a copy.
  case encoded(Data)
  /// A value without visible instances of classes, made and read on the main thread; elsewhere a copy is decoded.
  case onMainThread(Value, Data)
  /// A value that cannot be encoded, and why; made and read on the main thread only.
  case notEncodable(Value, any Error)
  /// The same, made on another thread, so that it can be read nowhere.
  case none(any Error)

  /// The value's type is Sendable. With an instance of a class in it, it is copied all the same: changes are made to a
  /// copy, as with a stored value.
  init(sharing value: Value) {
    self = Default.encodedInstances(in: value).map { .encoded($0) } ?? .shared(value)
  }

  /// Returns the encoded value, if it has an instance of a class in it.
  private static func encodedInstances(in value: Value) -> Data? {
    if SelfDescribingScalars.contains(Value.self) { return nil }
    do {
      let data = try KeyedArchiveEncoder().encode(value)
      return try KeyedArchiveDecoder().decodeNotingRepeatability(Value.self, from: data).isRepeatable ? nil : data
    } catch {
      return nil  // What cannot be encoded cannot be stored either, and what is Sendable can be shared.
    }
  }

  init(copying value: Value) {
    do {
      let data = try KeyedArchiveEncoder().encode(value)
      let copy = try KeyedArchiveDecoder().decodeNotingRepeatability(Value.self, from: data)
      self = copy.isRepeatable && MainQueue.isCurrent ? .onMainThread(copy.value, data) : .encoded(data)
    } catch {
      self = MainQueue.isCurrent ? .notEncodable(value, error) : .none(error)
    }
  }

  func value(of key: String) -> Value {
    switch self {
    case .shared(let value): return value
    case .onMainThread(let value, _) where MainQueue.isCurrent: return value
    case .notEncodable(let value, _) where MainQueue.isCurrent: return value
    case .encoded(let data), .onMainThread(_, let data): return Default.copy(data, of: key)
    case .notEncodable(_, let error), .none(let error):
      preconditionFailure("The default of the key \(key.quoted) cannot be copied for this thread: \(error)")
    }
  }

  private static func copy(_ data: Data, of key: String) -> Value {
    do {
      return try KeyedArchiveDecoder().decode(Value.self, from: data)
    } catch {
      // It was decoded when the key was made.
      preconditionFailure("The default of the key \(key.quoted) cannot be decoded again: \(error)")
    }
  }
}
