/// A container whose generic methods also accept 128-bit integers.
///
/// The standard library's methods for these two types throw an error. They take precedence over a container's generic
/// methods, and the methods below over both.
package protocol WideIntegerContainer {}

extension KeyedDecodingContainerProtocol where Self: WideIntegerContainer {
  package func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }
  package func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }

  private func value<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value { try decode(type, forKey: key) }
}

extension UnkeyedDecodingContainer where Self: WideIntegerContainer {
  package mutating func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  package mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  private mutating func value<Value: Decodable>(_ type: Value.Type) throws -> Value { try decode(type) }
}

extension SingleValueDecodingContainer where Self: WideIntegerContainer {
  package func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  package func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }

  private func value<Value: Decodable>(_ type: Value.Type) throws -> Value { try decode(type) }
}

extension KeyedEncodingContainerProtocol where Self: WideIntegerContainer {
  package mutating func encode(_ value: Int128, forKey key: Key) throws { try write(value, key) }
  package mutating func encode(_ value: UInt128, forKey key: Key) throws { try write(value, key) }

  private mutating func write<Value: Encodable>(_ value: Value, _ key: Key) throws { try encode(value, forKey: key) }
}

extension UnkeyedEncodingContainer where Self: WideIntegerContainer {
  package mutating func encode(_ value: Int128) throws { try write(value) }
  package mutating func encode(_ value: UInt128) throws { try write(value) }

  private mutating func write<Value: Encodable>(_ value: Value) throws { try encode(value) }
}

extension SingleValueEncodingContainer where Self: WideIntegerContainer {
  package mutating func encode(_ value: Int128) throws { try write(value) }
  package mutating func encode(_ value: UInt128) throws { try write(value) }

  private mutating func write<Value: Encodable>(_ value: Value) throws { try encode(value) }
}
