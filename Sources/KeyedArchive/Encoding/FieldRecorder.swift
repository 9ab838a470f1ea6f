#if DEBUG  // Only FieldAudit uses this code.
/// An encoder that records the keys that a type writes and discards the values.
struct FieldRecorder: Encoder, SingleValueEncodingContainer, WideIntegerContainer {
  /// The keys and values that were written, at any depth of nested containers.
  final class Log {
    /// The names of keys, without a leading underscore.
    fileprivate(set) var names: Set<String> = []
    fileprivate(set) var count = 0
    /// Whether a value was written without keys, which may contain anything.
    fileprivate(set) var hasOpaqueValue = false
    private var keyTypes: [String] = []

    fileprivate func note(_ key: some CodingKey) {
      names.insert(String(key.stringValue.drop { $0 == "_" }))
      count += 1
    }

    fileprivate func note<Key: CodingKey>(keysOf _: Key.Type) {
      keyTypes.append(String(reflecting: Key.self))
    }

    /// Returns whether any key's type is declared inside a certain type.
    func hasKeys(of type: Any.Type) -> Bool {
      let prefix = String(reflecting: type) + "."
      return keyTypes.contains { $0.hasPrefix(prefix) }
    }
  }

  let log = Log()
  let userInfo: [CodingUserInfoKey: Any]
  var codingPath: [any CodingKey] { [] }

  init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    log.note(keysOf: type)
    return KeyedEncodingContainer(Keyed<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { log.hasOpaqueValue = true }

  func encode(_ value: some Encodable) { log.hasOpaqueValue = true }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol, WideIntegerContainer {
    let encoder: FieldRecorder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.log.note(key) }

    func encode(_ value: some Encodable, forKey key: Key) { encoder.log.note(key) }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      encoder.log.note(key)
      return encoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.log.note(key)
      return encoder.unkeyedContainer()
    }

    // The key of a superclass's values does not count as a value.
    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }

  private struct Unkeyed: UnkeyedEncodingContainer, WideIntegerContainer {
    let encoder: FieldRecorder
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    private mutating func note() {
      count += 1
      encoder.log.count += 1
    }

    mutating func encodeNil() { note() }

    mutating func encode(_ value: some Encodable) { note() }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      note()
      return encoder.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      note()
      return encoder.unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
      count += 1
      return encoder
    }
  }
}
#endif
