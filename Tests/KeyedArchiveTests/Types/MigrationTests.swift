import Foundation
import KeyedArchive
import TestSupport
import Testing

/// The third version of a model; see ``MigrationTests`` for the earlier forms.
private struct Folk: Archivable, Equatable {
  var name: String
  var age: Int
  var habits: [String]
  var favoriteBooks: [Book]

  static let formerArchiveTags: [ArchiveTag] = ["Folks"]
  static let archiveVersion = 3

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    if version < 2 { object["habits"] = [] }
    if version < 3 { object.rename("books", to: "favoriteBooks") }
  }
}

private struct Book: Archivable, Equatable {
  var title: String
  var pages: Int

  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    guard let pages = object["pages"]?.string.flatMap(Int.init) else { throw Refusal(reason: "no number of pages") }
    object["pages"] = .int(pages)
  }
}

private struct Refusal: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}

private struct Library: Codable, Equatable, Sendable {
  var people: [String: Folk?]
  @Polymorphic var anything: [any Sendable]

  static func == (left: Library, right: Library) -> Bool {
    left.people == right.people && left.anything.map { $0 as? Folk } == right.anything.map { $0 as? Folk }
  }
}

@Suite struct MigrationTests {
  private let book: ArchiveValue = ["title": "Emma", "pages": "474"]
  private let ada = Folk(name: "Ada", age: 7, habits: [], favoriteBooks: [Book(title: "Emma", pages: 474)])

  private func first(_ tag: ArchiveTag? = "Folks") -> ArchiveValue {
    let fields: ArchiveValue = ["name": "Ada", "age": 7, "books": [book]]
    guard let tag, var object = fields.object else { return fields }
    object.tag = tag
    return .object(object)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ tree: ArchiveValue) throws -> Value {
    try KeyedArchiveDecoder().decode(type, from: KeyedArchiveEncoder().encode(tree))
  }

  private func registry() throws -> TypeRegistry {
    let registry = TypeRegistry()
    try registry.register(Folk.self, Book.self, Library.self)
    return registry
  }

  @Test func aValueOfAnEarlierVersionIsMigratedWhenItIsRead() throws {
    #expect(try decode(Folk.self, first()) == ada)
    #expect(try decode(Folk.self, first("Folk")) == ada)
    let second = object("Folk", version: 2, ["name": "Ada", "age": 7, "books": [book], "habits": ["tea"]])
    #expect(try decode(Folk.self, second).habits == ["tea"])
    // Without a name, like a property of version 1, and as an element of a named array.
    #expect(try decode([Folk].self, [first(nil)]) == [ada])
    #expect(try decode([Folk].self, .named("[Folks]", version: 1, [first(nil)])) == [ada])
    try expectRoundTrip(ada)
  }

  @Test func migrationsRunAtAnyDepthAndInPolymorphicValues() throws {
    let tree = object(
      "Library",
      [
        "people": ["a": first(nil), "b": nil],
        "anything": [
          first(),
          object(
            "Folk", version: 2,
            [
              "name": "Ada", "age": 7, "books": [book], "habits": [],
            ]),
        ],
      ])
    let expected = Library(people: ["a": ada, "b": nil], anything: [ada, ada])
    let data = try KeyedArchiveEncoder().encode(tree)
    let decoder = KeyedArchiveDecoder(registry: try registry())
    #expect(try decoder.decode(Library.self, from: data) == expected)
    #expect(try decoder.decode(from: data) as? Library == expected)
    let mixed = try KeyedArchiveEncoder().encode(["k": [first(), 5]] as ArchiveValue)
    let values = try #require(try decoder.decode(from: mixed) as? [String: any Sendable])
    #expect((values["k"] as? [any Sendable])?.first as? Folk == ada)
  }

  @Test func aMigrationEditsTheStoredFieldsAndFormerNamesAndDefaultsApplyToItsResult() throws {
    struct Disk: Archivable, Equatable {
      var bytes: Int
      var label: String

      static let archiveVersion = 2
      static let formerFieldNames = ["bytes": ["size"]]
      static var archiveDefaults: [String: any Encodable & Sendable] { ["label": "none"] }

      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        guard object["bytes"] == nil, object["label"] == nil else { throw Refusal(reason: "not the stored fields") }
        object.transform("size") { kilobytes in .int((kilobytes.int ?? 0) * 1024) }
      }
    }
    #expect(try decode(Disk.self, ["size": 2]) == Disk(bytes: 2048, label: "none"))
  }

  @Test func theErrorOfAMigrationNamesTypeVersionsAndPath() throws {
    let unreadable: ArchiveValue = ["title": "Emma", "pages": "many"]
    let tree: ArchiveValue = ["k": [object("Folk", ["name": "Ada", "age": 7, "books": [book, unreadable]])]]
    let error = expectFailure(.migrationFailed) { try decode([String: [Folk]].self, tree) }
    #expect(error?.tag == "Book")
    #expect(error?.storedVersion == 1)
    #expect(error?.knownVersion == 2)
    #expect(error?.underlyingError is Refusal)
    #expect(
      error?.description == """
        migrationFailed: The migration of Book from version 1 to 2 failed: no number of pages. \
        The stored value is unchanged. At k[0].favoriteBooks[1].
        """)
  }

  @Test func aLaterVersionIsRefusedAtAnyPath() throws {
    let newer = object("Book", version: 3, ["title": "Emma"])
    let tree: ArchiveValue = ["books": [object("Book", version: 2, ["title": "Emma", "pages": 1]), newer]]
    let error = expectFailure(.newerVersion) { try decode([String: [Book]].self, tree) }
    #expect(error?.storedVersion == 3)
    #expect(error?.knownVersion == 2)
    #expect(error?.description.hasSuffix("Update the program to one that can read it. At books[1].") == true)
  }

  @Test func unmigratedInstancesStaySharedAndMigratedOnesAreCopies() throws {
    final class Node: Archivable {
      let name: String
      let size: Int
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["size"] = 1 }
    }
    struct Pair: Archivable {
      var left: Node
      var right: Node
      var note: String
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        object["note"] = "new"
        object.rename("first", to: "left")
      }
    }
    // [{"first": 28(node), "right": 29(0)}, {"first": 29(0), "right": {…}}], all of version 1
    let node = "a1 64 6e616d65 63 416461"
    let hex = "82 a2 65 6669727374 d81c \(node) 65 7269676874 d81d00 a2 65 6669727374 d81d00 65 7269676874 \(node)"
    let pairs = try KeyedArchiveDecoder().decode([Pair].self, from: Data(hex: hex))
    #expect(pairs[0].left === pairs[0].right)
    #expect(pairs[0].left === pairs[1].left)
    #expect(pairs[1].left !== pairs[1].right)
    #expect(pairs.map(\.note) == ["new", "new"])
    #expect(pairs[1].right.size == 1)
  }

  @Test func instancesStaySharedWhereverAMigrationMovesThem() throws {
    struct Team: Archivable {
      struct Roles: Codable, Sendable {
        var lead: Animal
        var others: [Animal]
      }
      var roles: Roles
      var all: [Animal]
      var byNumber: [Int: Animal]
      var set: [Animal]
      var left: Animal
      var right: Animal
      static let archiveTag: ArchiveTag = "Team"
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        object["roles", "others"] = .array(object["extra"].map { [$0] } ?? [])
        object["extra"] = nil
        object.move("lead", to: "roles", "lead")
        object["all"] = object["all"]?.array.map { .array(Array($0.dropFirst())) }
        try object.updateObjects(in: "byNumber") { if $0["name"] == "a" { $0["name"] = "changed" } }
        try object.updateObjects(in: "set") { if $0["name"] == "a" { $0["name"] = "changed" } }
        (object["left"], object["right"]) = (object["right"], object["left"])
      }
    }
    // All instances are in the array first: a, b and c.
    let instances = "83" + ["61", "62", "63"].map { " d81c a1 64 6e616d65 61 \($0)" }.joined()
    let hex = """
      d81b 82 64 5465616d a7 63 616c6c \(instances) 64 6c656164 d81d01 65 6578747261 d81d02
      68 62794e756d626572 a2 01 d81d00 02 d81d01 63 736574 d90102 82 d81d00 d81d02
      64 6c656674 d81d01 65 7269676874 d81d02
      """
    let team = try KeyedArchiveDecoder().decode(Team.self, from: Data(hex: hex))
    let (b, c) = (team.all[0], team.all[1])
    #expect([b, c].map(\.name) == ["b", "c"])
    #expect(team.roles.lead === b)
    #expect(team.roles.others[0] === c)
    #expect(team.byNumber[1]?.name == "changed")
    #expect(team.byNumber[2] === b)
    #expect(team.set[0].name == "changed")
    #expect(team.set[1] === c)
    #expect(team.left === c)
    #expect(team.right === b)
  }

  @Test func renamedFieldsKeepInstancesWithEqualContentsApart() throws {
    struct Couple: Archivable {
      var first: Animal
      var second: Animal
      var both: [Animal]
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        object.rename("left", to: "first")
        object.rename("right", to: "second")
      }
    }
    // {"left": 28(twin), "right": 28(twin), "both": [29(0), 29(1)]}
    let twin = "a1 64 6e616d65 63 416461"
    let hex = "a3 64 6c656674 d81c \(twin) 65 7269676874 d81c \(twin) 64 626f7468 82 d81d00 d81d01"
    let couple = try KeyedArchiveDecoder().decode(Couple.self, from: Data(hex: hex))
    #expect(couple.first !== couple.second)
    #expect(couple.first === couple.both[0])
    #expect(couple.second === couple.both[1])
  }

  @Test func repeatedFieldNamesAreFoundInMigratedObjects() throws {
    struct Reading: Archivable, Equatable {
      var temperature: Int
      var humidityInPercent: Int
      static let formerFieldNames = ["humidityInPercent": ["humidity"]]
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        object.transform("temperature") { .int(($0.int ?? 0) * 10) }
      }
    }
    let old = (0..<50).map { ["temperature": .int($0), "humidity": .int($0)] as ArchiveValue }
    let data = try KeyedArchiveEncoder().encode(.array(old) as ArchiveValue)
    #expect(data.count < 50 * 12)  // repeated strings are references
    let readings = try KeyedArchiveDecoder().decode([Reading].self, from: data)
    #expect(readings == (0..<50).map { Reading(temperature: $0 * 10, humidityInPercent: $0) })
  }

  @Test func aMigrationMayNestAndUnnestObjects() throws {
    struct Address: Codable, Equatable, Sendable {
      var city: String
      var zip: String
    }
    struct Customer: Archivable, Equatable {
      var name: String
      var address: Address
      var rooms: [[String: Int]]
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
        object.move("city", to: "address", "city")
        object.move("post", "code", to: "address", "zip")
        object["post"] = nil
        try object.updateObjects(in: "rooms") { $0.rename("size", to: "area") }
      }
    }
    let old: ArchiveValue = [
      "name": "Ada", "city": "Hamburg", "post": ["code": "20095"], "rooms": [["size": 1], ["size": 2, "doors": 1]],
    ]
    #expect(
      try decode([Customer].self, [old]) == [
        Customer(
          name: "Ada", address: Address(city: "Hamburg", zip: "20095"),
          rooms: [["area": 1], ["area": 2, "doors": 1]])
      ])
  }

  @Test func aValueThatIsNotAnObjectCanBecomeOne() throws {
    struct Plate: Archivable, Equatable {
      var country: String
      var text: String
      static let archiveVersion = 2
      static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
        guard let text = value.string else { throw Refusal(reason: "no text") }
        value = ["country": "D", "text": .string(text)]
      }
    }
    #expect(try decode([String: Plate].self, ["car": "HH-GD 1"]) == ["car": Plate(country: "D", text: "HH-GD 1")])
    expectFailure(.migrationFailed) { try decode([String: Plate].self, ["car": 5]) }
  }

  @Test func aMigrationMayNameItsResult() throws {
    struct Plaque: Archivable, Equatable {
      var text: String
      static let archiveTag: ArchiveTag = "Plaque"
      static let archiveVersion = 2
      static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
        value = object("Plaque", version: 2, ["text": value])
      }
    }
    #expect(try decode([String: Plaque].self, ["car": "HH-GD 1"]) == ["car": Plaque(text: "HH-GD 1")])
  }

  @Test func migrationsOfDeepValuesGetEnoughStack() throws {
    let depth = 200
    var tree: ArchiveValue = ["name": "leaf"]
    for level in 0..<depth { tree = ["name": .string("\(level)"), "next": tree] }
    let data = try KeyedArchiveEncoder().encode(tree)
    try onThread(stackSize: 512 << 10) {
      var link: Link? = try KeyedArchiveDecoder().decode(Link.self, from: data)
      var count = 0
      while let next = link?.next {
        #expect(link?.isOld == true)
        count += 1
        link = next
      }
      #expect(count == depth)
    }
  }

  @Test func anEndlessMigrationIsAnError() throws {
    final class Endless: Archivable {
      let inner: Endless?
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["inner"] = [:] }
    }
    expectFailure(.limitReached) { try decode([Endless].self, [["a": 1]]) }
  }

  @Test func noFileCanContainAReferenceOfASplice() throws {
    struct Holder: Archivable, Equatable {
      var number: ArchiveValue
      var other: Int
      static let archiveVersion = 2
      static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["other"] = 1 }
    }
    let marked = ArchiveValue.tagged(19, nil)
    #expect(try decode([Holder].self, [["number": marked, "other": 0]]) == [Holder(number: marked, other: 1)])
    #expect(throws: DecodingError.self) { try decode([Holder].self, [["number": 1, "other": marked]] + [marked]) }
  }
}

/// A list that lacked a field in version 1.
private final class Link: Archivable {
  let name: String
  let isOld: Bool
  let next: Link?

  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["isOld"] = true }
}

extension ArchiveValue {
  fileprivate static func + (left: ArchiveValue, right: [ArchiveValue]) -> ArchiveValue {
    .array((left.array ?? []) + right)
  }
}
