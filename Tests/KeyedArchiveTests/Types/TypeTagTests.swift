import Foundation
import KeyedArchive
import TestSupport
import Testing

private struct Both<First, Second>: Codable {}

private struct Renamed: Archivable, Equatable {
  static let archiveTag: ArchiveTag = "People"
  static let formerArchiveTags: [ArchiveTag] = ["Person", "Human"]

  var name: String
}

private struct Versioned: Archivable, Equatable {
  static let archiveVersion = 3

  var name: String
}

private struct Impostor: Archivable {
  static let archiveTag: ArchiveTag = "People"
}

private struct FormerImpostor: Archivable {
  static let formerArchiveTags: [ArchiveTag] = ["Human"]
}

/// A generic type, whose name contains its argument.
private struct Box<Value: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
  var value: Value
}

extension String {
  fileprivate struct Extension: Codable, Sendable, Equatable {}
}

@Suite struct TypeTagTests {
  @Test func tagsAreTheNamesOfTypesWithoutTheirModule() {
    let registry = TypeRegistry()
    #expect(registry.tag(for: CarInfo.self) == "CarInfo")
    #expect(registry.tag(for: Garage.Slot.self) == "Garage.Slot")
    #expect(registry.tag(for: Renamed.self) == "People")
    #expect(registry.tag(for: Versioned.self) == "Versioned")
    #expect(registry.tag(for: Int.self) == "Int")
    #expect(registry.tag(for: Date.self) == "Date")
    #expect(registry.tag(for: [CarInfo].self) == "[CarInfo]")
    #expect(registry.tag(for: [String: [Renamed?]].self) == "[String:[People?]]")
    #expect(registry.tag(for: Set<Garage.Slot>.self) == "Set<Garage.Slot>")
    #expect(registry.tag(for: Box<CarInfo>.self) == "Box<CarInfo>")
    #expect(registry.tag(for: Box<[Garage.Slot?]>.self) == "Box<Array<Optional<Garage.Slot>>>")
    #expect(registry.tag(for: String.Extension.self) == "String.Extension")
    struct Local: Codable {}
    #expect(registry.tag(for: Local.self) == "TypeTagTests.Local")
  }

  @Test func theTagPrecedesTheValue() throws {
    #expect(try encodedHex(Renamed(name: "Ada")) == hex("d81b 82 66 50656f706c65 a1 64 6e616d65 63 416461"))
    #expect(try encodedHex(Versioned(name: "Ada")).hasSuffix("63416461" + "03"))
    #expect(
      try decode(ArchiveValue.self, encodedHex([Versioned(name: "Ada")]))
        == .named("[Versioned]", version: 1, [object("Versioned", version: 3, ["name": "Ada"])]))
  }

  @Test func formerTagsAreRead() throws {
    for tag in ["People", "Person", "Human"] as [ArchiveTag] {
      let data = try KeyedArchiveEncoder().encode(object(tag, ["name": "Ada"]))
      #expect(try KeyedArchiveDecoder().decode(Renamed.self, from: data) == Renamed(name: "Ada"))
      let registry = TypeRegistry()
      try registry.register(Renamed.self)
      #expect(try KeyedArchiveDecoder(registry: registry).decode(from: data) as? Renamed == Renamed(name: "Ada"))
      let array = try KeyedArchiveEncoder().encode(
        ArchiveValue.named(ArchiveTag("[\(tag)]"), version: 1, [["name": "Ada"]]))
      #expect(try KeyedArchiveDecoder(registry: registry).decode(from: array) as? [Renamed] == [Renamed(name: "Ada")])
      #expect(try KeyedArchiveDecoder().decode([Renamed].self, from: array) == [Renamed(name: "Ada")])
    }
  }

  @Test func aValueOfAnotherTypeIsRefusedByName() throws {
    let data = try KeyedArchiveEncoder().encode(CarInfo("B 1"))
    #expect(
      try complaint { try KeyedArchiveDecoder().decode(Garage.self, from: data) }
        == Complaint(
          kind: .typeMismatch, path: "", message: "Expected Garage, but found a value of type CarInfo."))
    #expect(try complaint { try KeyedArchiveDecoder().decode([CarInfo].self, from: data) }.kind == .typeMismatch)
    #expect(try complaint { try KeyedArchiveDecoder().decode(Int.self, from: data) }.kind == .typeMismatch)
    #expect(try complaint { try KeyedArchiveDecoder().decode(Date.self, from: data) }.kind == .typeMismatch)
    let cars = try KeyedArchiveEncoder().encode([CarInfo("B 1")])
    #expect(try complaint { try KeyedArchiveDecoder().decode([Garage].self, from: cars) }.kind == .typeMismatch)
  }

  @Test func aNewerVersionIsRefusedAndAnOlderOneRead() throws {
    let newer = try KeyedArchiveEncoder().encode(object("Versioned", version: 4, ["name": "Ada"]))
    let error = expectFailure(.newerVersion) { try KeyedArchiveDecoder().decode(Versioned.self, from: newer) }
    #expect(error?.message.contains("version 4 of Versioned") == true)
    #expect(error?.message.contains("versions up to 3") == true)
    let older = try KeyedArchiveEncoder().encode(object("Versioned", version: 2, ["name": "Ada"]))
    #expect(try KeyedArchiveDecoder().decode(Versioned.self, from: older) == Versioned(name: "Ada"))
    try expectRoundTrip(Versioned(name: "Ada"))
  }

  @Test func aTypeWithVersionZeroIsReadLikeVersionOne() throws {
    struct Counted: Archivable, Equatable {
      static let archiveVersion = 0
      var name: String
    }
    try expectRoundTrip(Counted(name: "Ada"))
    try expectRoundTrip([Counted(name: "Ada")])
  }

  @Test func anUnregisteredTagIsNamed() throws {
    let registry = TypeRegistry()
    let data = try KeyedArchiveEncoder().encode(
      ["k": [CarInfo("B 1")] as [any Sendable]] as [String: any Sendable] as any Sendable)
    let error = expectFailure(.unregisteredTag) { try KeyedArchiveDecoder(registry: registry).decode(from: data) }
    #expect(error?.tag == "CarInfo")
    #expect(error?.codingPath.map(\.stringValue) == ["k", "Index 0"])
    #expect(error?.description.contains(#""CarInfo", which is not registered"#) == true)
    #expect(error?.description.hasSuffix("At k[0].") == true)
    // A tree still shows it.
    let tree = try KeyedArchiveDecoder(registry: registry).decode(ArchiveValue.self, from: data)
    #expect(tree["k"]?[0]?.object?.tag == "CarInfo")
    #expect(tree["k"]?[0]?["plate"] == "B 1")
    // So is a composite of it.
    let array = try KeyedArchiveEncoder().encode([CarInfo("B 1")])
    #expect(
      expectFailure(.unregisteredTag) { try KeyedArchiveDecoder(registry: registry).decode(from: array) }?.tag
        == "[CarInfo]")
  }

  @Test func aTagThatTwoTypesClaimIsAnErrorAtRegistration() throws {
    let registry = TypeRegistry()
    try registry.register(Renamed.self, CarInfo.self)
    try registry.register(Renamed.self)  // again: nothing happens
    let error = expectFailure(.tagClash) { try registry.register(Impostor.self, Garage.self) }
    #expect(error?.tag == "People")
    #expect(error?.message.contains("Renamed and ") == true)
    #expect(try registry.type(for: "Garage") == Garage.self)  // has no clash
    // Neither type is chosen by a guess.
    expectFailure(.tagClash) { try registry.type(for: "People") }
    expectFailure(.tagClash) { try registry.type(for: "[People]") }
    let data = try KeyedArchiveEncoder().encode(object("People", ["name": "Ada"]))
    expectFailure(.tagClash) { try KeyedArchiveDecoder(registry: registry).decode(from: data) }
    #expect(try KeyedArchiveDecoder(registry: registry).decode(Renamed.self, from: data).name == "Ada")
    expectFailure(.tagClash) { try registry.register(FormerImpostor.self) }
  }

  @Test func registeringATypeWithAClashAgainAddsNothingToTheError() throws {
    let registry = TypeRegistry()
    try registry.register(Renamed.self)
    expectFailure(.tagClash) { try registry.register(Impostor.self) }
    let message = try #require(expectFailure(.tagClash) { try registry.type(for: "People") }).message
    for _ in 0..<3 { expectFailure(.tagClash) { try registry.register(Renamed.self, Impostor.self) } }
    #expect(expectFailure(.tagClash) { try registry.type(for: "People") }?.message == message)
  }

  @Test func aTypeMayNotTakeTheTagOfAStandardType() {
    struct Taker: Archivable {
      static let archiveTag: ArchiveTag = "Date"
    }
    expectFailure(.tagClash) { try TypeRegistry().register(Taker.self) }
  }

  @Test func compositesOfKnownTypesAreKnown() throws {
    let registry = TypeRegistry()
    try registry.register(CarInfo.self)
    #expect(try registry.type(for: "[CarInfo]") == [CarInfo].self)
    #expect(try registry.type(for: "[[String:[CarInfo?]]]") == [[String: [CarInfo?]]].self)
    #expect(try registry.type(for: "Set<CarInfo>") == Set<CarInfo>.self)
    #expect(try registry.type(for: "[[Int:Bool]:[Int]]") == [[Int: Bool]: [Int]].self)
    #expect(try registry.type(for: "[Set<Int>:Int]") == [Set<Int>: Int].self)
    for unknown in [
      "[Garage]", "Set<[CarInfo]", "[CarInfo:CarInfo", "", "[", "]", "[]", "?", "Set<>", "[:]", "[Int:]", "CarInfo??x",
    ] {
      #expect(try registry.type(for: ArchiveTag(unknown)) == nil, "\(unknown)")
    }
    #expect(
      try registry.type(
        for: ArchiveTag(String(repeating: "[", count: 100) + "Int" + String(repeating: "]", count: 100))) == nil)
  }

  @Test func theNameOfAGenericTypeThatIsTooLongIsReportedWithItsStartAndASolution() throws {
    typealias Four = Both<Both<CarInfo, CarInfo>, Both<CarInfo, CarInfo>>
    typealias Sixteen = Both<Both<Four, Four>, Both<Four, Four>>
    typealias Many = Both<Sixteen, Sixteen>
    let values: [String: any Sendable] = ["a": Many()]
    let error = expectFailure(.limitReached) { try KeyedArchiveEncoder().encode(values) }
    let name = TypeRegistry().tag(for: Many.self).name
    #expect(error?.codingPath.map(\.stringValue) == ["a"])
    #expect(
      error?.message == """
        The type tag "\(name.prefix(80))" has \(name.utf8.count) bytes of UTF-8; a tag can have 1 to 255. \
        Declare another archiveTag for the type, or store the value as a property of a type with a shorter name.
        """)
    // A property's type is not stored, so the second suggestion works.
    struct Car: Codable { var pair = Many() }
    #expect(throws: Never.self) { try roundTrip(Car()) }
  }

  @Test func theLengthOfATagIsLimited() throws {
    let long = ArchiveTag(String(repeating: "x", count: 255))
    #expect(try roundTrip(object(long, [:])) == object(long, [:]))
    let error = expectFailure(.limitReached) {
      try KeyedArchiveEncoder().encode(["a": ["b": object(ArchiveTag(long.name + "x"), [:])]])
    }
    #expect(error?.codingPath.map(\.stringValue) == ["a", "b"])
    expectFailure(.limitReached) { try KeyedArchiveEncoder().encode(object("", [:])) }
    // In a file, such a text is not a name: a value without a name is refused, and a tree shows the tag around it.
    let bytes = "d81b 82 790100" + String(repeating: "78", count: 256) + "a0"
    #expect(try complaint { try decode(CarInfo.self, bytes) }.message == "A type tag has 256 bytes; the limit is 255.")
    #expect(try encodedHex(decode(ArchiveValue.self, bytes)) == hex(bytes))
    var limits = ArchiveLimits()
    limits.maximumTagLength = 256
    #expect(throws: DecodingError.self) {
      try KeyedArchiveDecoder(limits: limits).decode(CarInfo.self, from: Data(hex: bytes))
    }
  }
}
