import Foundation
public import GlobalData
import KeyedArchive

/// A key that an app stores, and a sample of its value.
///
/// The sample shows the shape of its types, so fill optionals, arrays and dictionaries, and use all cases of enums.
///
/// ```swift
/// let models = [
///   GoldenModel("user", User(name: "Ada", address: Address(city: "Hamburg"))),
///   GoldenModel(.uploads, [Upload.sample]),
/// ]
/// ```
public struct GoldenModel: Sendable {
  /// The key.
  public let key: String

  let type: any (Codable & Sendable).Type
  let sample: any Codable & Sendable
  let encode: @Sendable (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
  /// Reads a stored value as its current type. Returns the paths of fields that were not read.
  let open: @Sendable (Data, TypeRegistry) throws -> [String]

  /// Creates a model from a key and a sample of its values.
  ///
  /// - Parameters:
  ///   - key: The key; for a collection of models, a key of one element, such as `cars/1`.
  ///   - sample: A value of the type that the app reads the key as.
  public init<Value: Codable & Sendable>(_ key: String, _ sample: Value) {
    self.key = key
    self.sample = sample
    type = Value.self
    encode = { try $0.encodeItem(sample, $1) }
    open = { @Sendable data, registry in
      let examination = try KeyedArchiveDecoder(registry: registry).examine(Value.self, from: data)
      // The value must also be writable, and readable again.
      let written = try KeyedArchiveEncoder(registry: registry).encode(examination.value)
      _ = try KeyedArchiveDecoder(registry: registry).decode(Value.self, from: written)
      return examination.unreadFields
    }
  }

  /// Creates a model from a declared key and a sample of its values.
  public init<Value: Codable & Sendable>(_ key: GlobalData.Key<Value>, _ sample: Value) {
    self.init(key.name, sample)
  }
}
