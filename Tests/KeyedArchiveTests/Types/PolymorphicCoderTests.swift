import Foundation
import KeyedArchive
import TestSupport
import Testing

/// The same models with other coders: JSON and property lists.
@Suite struct PolymorphicCoderTests {
  private let registry: TypeRegistry

  init() throws {
    registry = try shapeRegistry()
  }

  private func jsonEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo[TypeRegistry.userInfoKey] = registry
    return encoder
  }

  private func jsonDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo[TypeRegistry.userInfoKey] = registry
    return decoder
  }

  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try jsonEncoder().encode(value), as: UTF8.self)
  }

  private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try jsonDecoder().decode(type, from: Data(json.utf8))
  }

  @Test func everyPositionInAModelIsRestoredFromJSON() throws {
    let copy = try jsonDecoder().decode(Drawing.self, from: jsonEncoder().encode(Drawing.sample))
    #expect(copy.outlines == Drawing.sample.outlines)
    let empty = Drawing(shapes: [], background: nil)
    #expect(try jsonDecoder().decode(Drawing.self, from: jsonEncoder().encode(empty)).outlines == empty.outlines)
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func everyPositionInAModelIsRestoredFromAPropertyList(format: PropertyListSerialization.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    encoder.userInfo[TypeRegistry.userInfoKey] = registry
    let decoder = PropertyListDecoder()
    decoder.userInfo[TypeRegistry.userInfoKey] = registry
    for drawing in [Drawing.sample, Drawing(shapes: [], background: nil)] {
      let copy = try decoder.decode(Drawing.self, from: encoder.encode(drawing))
      #expect(copy.outlines == drawing.outlines)
    }
  }

  @Test func aJSONValueIsAnObjectWithItsTag() throws {
    struct Picture: Codable {
      @Polymorphic var shapes: [any Shape]
      @Polymorphic var cover: (any Shape)?
      @Polymorphic var byName: [String: any Shape]
      @Polymorphic var notes: [any Sendable]
      @Polymorphic var pets: [Animal]
      @Polymorphic var counts: [Int]
    }
    let picture = Picture(
      shapes: [Circle(radius: 1.5), Symbol.dot], cover: nil, byName: ["a": Circle(radius: 2)],
      notes: [
        3, true, 3.0, nil as Int?, ["x"] as [any Sendable], ["k": 1] as [String: any Sendable], [1, 2] as [Int],
      ],
      pets: [Dog(name: "Rex", tricks: ["sit"]), Animal(name: "It")], counts: [1, 2])
    let json = try json(picture)
    #expect(
      json == #"""
        {"byName":{"a":{"Circle":{"radius":2}}},"counts":[1,2],\#
        "notes":[{"Int":3},{"Bool":true},{"Double":3},null,{"[Any]":[{"String":"x"}]},{"[String:Any]":{"k":{"Int":1}}},\#
        {"[Int]":[1,2]}],\#
        "pets":[{"Dog":{"name":"Rex","tricks":["sit"]}},{"Animal":{"name":"It"}}],\#
        "shapes":[{"Circle":{"radius":1.5}},{"Symbol":{"dot":{}}}]}
        """#)
    try registry.register(Dog.self)  // Animal is declared and needs no registration.
    let copy = try read(Picture.self, json)
    #expect(outline(copy.notes) == outline(picture.notes))
    #expect((copy.pets[0] as? Dog)?.tricks == ["sit"])
    #expect(copy.cover == nil)
    #expect(copy.counts == [1, 2])
  }

  @Test func keyAndDateStrategiesLeaveTagsAndKeysAlone() throws {
    struct Picture: Codable, Sendable {
      @Polymorphic var allNotes: [String: any Sendable]
    }
    let encoder = jsonEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    let decoder = jsonDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    let picture = Picture(allNotes: [
      "myCar": CarInfo("B 1", isOnline: true), "any_key": ["innerKey": 1] as [String: any Sendable],
      "date": Date(timeIntervalSince1970: 0),
    ])
    let data = try encoder.encode(picture)
    #expect(
      String(decoding: data, as: UTF8.self) == #"""
        {"all_notes":{"any_key":{"[String:Any]":{"innerKey":{"Int":1}}},"date":{"Date":"1970-01-01T00:00:00Z"},\#
        "myCar":{"CarInfo":{"is_online":true,"plate":"B 1","speed":0}}}}
        """#)
    #expect(outline(try decoder.decode(Picture.self, from: data).allNotes) == outline(picture.allNotes))
  }

  @Test func withoutARegistryTheSharedOneIsUsed() throws {
    let values = Polymorphic<[any Sendable]>(wrappedValue: [1, "two", URL(fileURLWithPath: "/a")])
    let copy = try JSONDecoder().decode(Polymorphic<[any Sendable]>.self, from: JSONEncoder().encode(values))
    #expect(outline(copy.wrappedValue) == outline(values.wrappedValue))
  }

  // MARK: Errors

  @Test func anUnregisteredTagIsNamedWithItsPath() {
    let error = expectFailure(.unregisteredTag) {
      try read([String: Polymorphic<[any Shape]>].self, #"{"a":[{"Circle":{"radius":1}},{"Hexagon":{}}]}"#)
    }
    #expect(error?.tag == "Hexagon")
    #expect(error?.description.hasSuffix("At a[1].Hexagon.") == true)
  }

  @Test(arguments: [
    (
      #"{"a":[{"CarInfo":{"plate":"x","speed":1,"isOnline":true}}]}"#,
      "Expected Shape, but found a value of type CarInfo."
    ),
    (#"{"a":[null]}"#, "Expected Shape, but found null."),
    (#"{"a":[{}]}"#, "Expected an object whose only field is a type tag, but found 0 fields."),
    (
      #"{"a":[{"Circle":{"radius":1},"Symbol":{"dot":{}}}]}"#,
      "Expected an object whose only field is a type tag, but found 2 fields."
    ),
  ])
  func aWrongValueIsAnErrorWithItsPath(json: String, message: String) throws {
    let found = try complaint { try read([String: Polymorphic<[any Shape]>].self, json) }
    #expect(found.path == "a.0")
    #expect(found.message == message)
  }

  @Test func aValueThatIsNotEncodableIsNamedWithItsPath() {
    struct Secret: Sendable {}
    let error = expectFailure(.notEncodable) {
      try json(["a": Polymorphic<[any Sendable]>(wrappedValue: [1, ["k": Secret()] as [String: any Sendable]])])
    }
    #expect(error?.message == "A value of type Secret is not Encodable and cannot be stored.")
    #expect(error?.description.hasSuffix("At a[1].[String:Any].k.") == true)
    let keys = expectFailure(.notEncodable) {
      try json(Polymorphic<any Sendable>(wrappedValue: [1: Secret()]))
    }
    #expect(keys?.message.contains("Dictionary<Int, Secret>") == true)
  }
}
