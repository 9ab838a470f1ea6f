import Foundation
import KeyedArchive
import TestSupport
import Testing

/// What types may do with a decoder of a map.
@Suite struct KeyedDecodingTests {
  /// The bytes of a map with the fields `f0` to `f<count - 1>`, whose values are their numbers.
  private func map(of count: Int) throws -> String {
    var object = ArchiveObject()
    for number in 0..<count { object["f\(number)"] = .int(number) }
    return try encodedHex(ArchiveValue.object(object))
  }

  @Test(arguments: [1, 5, 16, 17, 40, 300])
  func fieldsAreReadInAnyOrder(count: Int) throws {
    let bytes = try map(of: count)
    var random = SeededGenerator(seed: 6)
    let inOrder = Array(0..<count)
    for order in [inOrder, inOrder.reversed(), inOrder.shuffled(using: &random), inOrder + inOrder] {
      let values = try decode(bytes) { decoder in
        let container = try decoder.container(keyedBy: AnyKey.self)
        return try order.map { number in
          let key = AnyKey(stringValue: "f\(number)")
          let missing = AnyKey(stringValue: "f\(number + count)")
          #expect(container.contains(key))
          #expect(!container.contains(missing))
          #expect(try container.decodeIfPresent(Int.self, forKey: missing) == nil)
          return try container.decode(Int.self, forKey: key)
        }
      }
      #expect(values == order)
    }
  }

  /// Records repeat their names, so all but the first names are references, whose numbers are remembered.
  @Test(arguments: [1, 3, 30, 300])
  func textsOfManyRecordsAreReadInAnyOrder(count: Int) throws {
    func text(_ record: Int, _ field: Int) -> String {
      let text = String(repeating: "ä", count: field % 7 == 0 ? 1 : 0) + "r\(record % 5)f\(field)"
      return String(
        (text + String(repeating: "-", count: 300)).prefix([0, 3, 4, 15, 16, 23, 24, 100, 255, 260][field % 10]))
    }
    let records = (0..<8).map { record in
      var object = ArchiveObject()
      for field in 0..<count { object["name\(field)"] = .string(text(record, field)) }
      return object
    }
    let bytes = try encodedHex(ArchiveValue.array(records.map { .object($0) }))
    var random = SeededGenerator(seed: 7)
    try decode(bytes) { decoder in
      var list = try decoder.unkeyedContainer()
      for record in records.indices {
        let container = try list.nestedContainer(keyedBy: AnyKey.self)
        let inOrder = container.allKeys
        let order = [inOrder, inOrder.reversed(), inOrder.shuffled(using: &random), [inOrder[inOrder.count - 1]]][
          record % 4]
        for key in order {
          // A name in other memory, and the same one as before.
          for key in [key, AnyKey(stringValue: String(decoding: Array(key.stringValue.utf8), as: UTF8.self))] {
            #expect(try .string(container.decode(String.self, forKey: key)) == records[record][key.stringValue])
          }
        }
      }
    }
  }

  /// Names from earlier archives are remembered with their bytes.
  @Test(arguments: 1...18)
  func aNameIsFoundOnlyIfAllItsBytesAreStored(length: Int) throws {
    let name = String(repeating: "a", count: length)
    let changed = (0..<length).map { String(repeating: "a", count: $0) + "b" + name.dropFirst($0 + 1) }
    let others = changed + ["", String(name.dropLast()), name + "a", String(repeating: "ä", count: length)]
    for other in others + others {
      for stored in [name, other] {
        var object = ArchiveObject()
        object[stored] = .int(7)
        let bytes = try encodedHex(ArchiveValue.object(object))
        try decode(bytes) { decoder in
          let container = try decoder.container(keyedBy: AnyKey.self)
          for wanted in [other, name, other] {
            let value = try container.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: wanted))
            #expect(value == (wanted == stored ? 7 : nil), "\(wanted) in \(stored)")
          }
        }
      }
    }
  }

  /// Optional properties that are nil are not stored. Many types end with such properties.
  @Test(arguments: [false, true])
  func unstoredFieldsAreMissingAfterAllOthers(areTexts: Bool) throws {
    var object = ArchiveObject()
    for name in ["id", "name", "speed"] { object[name] = areTexts ? .string(name) : .int(name.utf8.count) }
    let bytes = try encodedHex(ArchiveValue.object(object))
    func isStored(_ name: String, _ container: KeyedDecodingContainer<AnyKey>) throws -> Bool {
      let key = AnyKey(stringValue: name)
      if areTexts { return try container.decodeIfPresent(String.self, forKey: key) == name }
      return try container.decodeIfPresent(Int.self, forKey: key) == name.utf8.count
    }
    for missing in ["plate", "remark", "", "name of 64 bytes more than another name of the same archive has....."] {
      for _ in 0..<2 {
        try decode(bytes) { decoder in
          let container = try decoder.container(keyedBy: AnyKey.self)
          for name in ["id", "name", "speed"] { #expect(try isStored(name, container)) }
          #expect(try !isStored(missing, container))
          #expect(!container.contains(AnyKey(stringValue: missing)))
          for name in ["id", "name", "speed"] { #expect(try isStored(name, container)) }
        }
      }
    }
  }

  @Test func everyScalarIsReadFromAMap() throws {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      for key in ["a", "b"] { try container.encode(7, forKey: AnyKey(stringValue: key)) }
      try container.encodeNil(forKey: "nothing")
      try container.encode(true, forKey: "bool")
      try container.encode("text", forKey: "text")
    }
    try decode(encoded: value) { decoder in
      let container = try decoder.container(keyedBy: AnyKey.self)
      try expectNumber(Int.self, container)
      try expectNumber(Int8.self, container)
      try expectNumber(Int16.self, container)
      try expectNumber(Int32.self, container)
      try expectNumber(Int64.self, container)
      try expectNumber(Int128.self, container)
      try expectNumber(UInt.self, container)
      try expectNumber(UInt8.self, container)
      try expectNumber(UInt16.self, container)
      try expectNumber(UInt32.self, container)
      try expectNumber(UInt64.self, container)
      try expectNumber(UInt128.self, container)
      try expectNumber(Float.self, container)
      try expectNumber(Double.self, container)
      #expect(try container.decode(Bool.self, forKey: "bool"))
      #expect(try container.decodeIfPresent(Bool.self, forKey: "bool") == true)
      #expect(try container.decodeIfPresent(Bool.self, forKey: "nothing") == nil)
      #expect(try container.decodeIfPresent(String.self, forKey: "text") == "text")
      #expect(try container.decodeIfPresent(String.self, forKey: "nothing") == nil)
      #expect(try container.decodeNil(forKey: "nothing"))
      #expect(try !container.decodeNil(forKey: "a"))
      #expect(throws: DecodingError.self) { try container.decodeNil(forKey: "absent") }
    }
  }

  private func expectNumber<Number: Decodable & Numeric>(
    _ type: Number.Type, _ container: KeyedDecodingContainer<AnyKey>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try container.decode(type, forKey: "a") == 7, sourceLocation: sourceLocation)
    #expect(try container.decodeIfPresent(type, forKey: "b") == 7, sourceLocation: sourceLocation)
    #expect(try container.decodeIfPresent(type, forKey: "nothing") == nil, sourceLocation: sourceLocation)
    #expect(try container.decodeIfPresent(type, forKey: "absent") == nil, sourceLocation: sourceLocation)
  }

  @Test func allKeysOmitsUnknownKeys() throws {
    enum Known: String, CodingKey {
      case f1, f3, unknown
    }
    #expect(try decode(map(of: 5)) { try $0.container(keyedBy: Known.self).allKeys } == [.f1, .f3])
    #expect(try decode(map(of: 20)) { try $0.container(keyedBy: AnyKey.self).allKeys }.count == 20)
  }

  @Test func integerKeysOfAForeignMapAreReadByTheirDigits() throws {
    try decode("a2 05 f93c00 21 f94000") { decoder in
      let container = try decoder.container(keyedBy: AnyKey.self)
      #expect(container.allKeys.map(\.stringValue) == ["5", "-2"])
      #expect(try container.decode(Double.self, forKey: "-2") == 2)
    }
    #expect(try decode([Int: Double].self, "a2 05 f93c00 21 f94000") == [5: 1, -2: 2])
  }

  @Test func aTypeThatReadsAllFieldsFailsAtANonTextKey() throws {
    // {{"a": 1}: 2}, and {"b": 1, {"a": 1}: 2}
    for bytes in ["a1 a1 6161 01 02", "a2 6162 01 a1 6161 01 02"] {
      #expect(throws: DecodingError.self) {
        try decode(bytes) { decoder in
          let container = try decoder.container(keyedBy: AnyKey.self)
          for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
        }
      }
    }
  }

  @Test func nestedContainersAndSuperDecodersAreRead() throws {
    let value = Scripted { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      var map = container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
      try map.encode(1, forKey: "one")
      var array = container.nestedUnkeyedContainer(forKey: "array")
      try array.encode(2)
      try 3.encode(to: container.superEncoder())
      try 4.encode(to: container.superEncoder(forKey: "other"))
    }
    try decode(encoded: value) { decoder in
      let container = try decoder.container(keyedBy: AnyKey.self)
      let map = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
      #expect(try map.decode(Int.self, forKey: "one") == 1)
      #expect(map.codingPath.map(\.stringValue) == ["map"])
      var array = try container.nestedUnkeyedContainer(forKey: "array")
      #expect(try array.decode(Int.self) == 2)
      #expect(try Int(from: container.superDecoder()) == 3)
      #expect(try Int(from: container.superDecoder(forKey: "other")) == 4)
      #expect(throws: DecodingError.self) { try container.superDecoder(forKey: "absent") }
      #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: AnyKey.self, forKey: "array") }
      #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: "map") }
    }
    #expect(throws: DecodingError.self) {
      try decode("a0") { try $0.container(keyedBy: AnyKey.self).superDecoder() }
    }
  }

  @Test func aTypeReceivesOnlyPublicErrors() throws {
    // A key that is not text, text that is not UTF-8, a reference to nothing: found during the search for a field.
    for bytes in ["a1 f5 00", "a1 61ff 00", "a1 81 00 00", "a1 6161 d81d 05"] {
      try decode(bytes) { decoder in
        let container = try decoder.container(keyedBy: AnyKey.self)
        #expect(container.contains("a"), "a type must not use a default instead")
        for attempt in [
          { _ = try container.decode(Int.self, forKey: "a") },
          { _ = try container.decodeIfPresent(Int.self, forKey: "a") },
          { _ = try container.decodeNil(forKey: "a") },
          { _ = try container.decode([Int].self, forKey: "a") },
          { _ = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "a") },
          { _ = try container.nestedUnkeyedContainer(forKey: "a") },
          { _ = try container.superDecoder() },
        ] as [() throws -> Void] {
          do {
            try attempt()
            Issue.record("no error for \(bytes)")
          } catch {
            #expect(error is DecodingError || error is KeyedArchiveError, "\(bytes): \(error)")
          }
        }
      }
    }
  }
}
