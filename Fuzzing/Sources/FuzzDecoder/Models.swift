import Foundation
import GlobalData

// Models of every kind, with decoding code as programs write it.

struct Car: Codable, Sendable {
  var plate: String
  var speed: Int
  var isOnline: Bool
  var note: String?
  var position: [Double]?
}

struct Garage: Codable, Sendable {
  var owner: String
  var cars: [Car]
  var levels: [String: [Int: Car]]
  var branches: [Garage]
}

indirect enum Command: Codable, Hashable, Sendable {
  case stop
  case drive(Int)
  case turn(degrees: Double, isLeft: Bool)
  case sequence([Command])
  case afterwards(Command, then: Command?)
}

enum Weekday: String, Codable, CodingKeyRepresentable, Sendable {
  case monday, tuesday, sunday
}

enum Number: Int8, Codable, Hashable, Sendable {
  case one = 1
  case two, three
}

class Animal: Codable, @unchecked Sendable {
  var name: String
  var friend: Animal?

  init(name: String) { self.name = name }
}

/// Uses the container of its superclass.
final class Dog: Animal, @unchecked Sendable {
  var tricks: [String]

  private enum CodingKeys: String, CodingKey { case tricks }

  init(name: String, tricks: [String]) {
    self.tricks = tricks
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    tricks = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .tricks)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tricks, forKey: .tricks)
  }
}

/// Keeps the fields of its superclass separate.
final class Cat: Animal, @unchecked Sendable {
  var lives: UInt8

  private enum CodingKeys: String, CodingKey { case lives }

  init(name: String, lives: UInt8) {
    self.lives = lives
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    lives = try container.decode(UInt8.self, forKey: .lives)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(lives, forKey: .lives)
    try super.encode(to: container.superEncoder())
  }
}

/// Decodes its containers in its own code: nested ones, an unkeyed one to its end, and missing fields.
struct Handmade: Codable, Sendable {
  var values: [Int] = []
  var texts: [String: String] = [:]

  private enum Key: String, CodingKey { case list, map, absent }
  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int?
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) {
      stringValue = String(intValue)
      self.intValue = intValue
    }
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    while !list.isAtEnd {
      if try list.decodeNil() { continue }
      values.append(try list.decode(Int.self))
    }
    let map = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .map)
    for key in map.allKeys where map.contains(key) { texts[key.stringValue] = try map.decode(String.self, forKey: key) }
    _ = try container.decodeIfPresent(Int.self, forKey: .absent)
    _ = try container.decodeNil(forKey: .list)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    var list = container.nestedUnkeyedContainer(forKey: .list)
    for value in values { try list.encode(value) }
    var map = container.nestedContainer(keyedBy: AnyKey.self, forKey: .map)
    for (key, text) in texts.sorted(by: { $0.key < $1.key }) { try map.encode(text, forKey: AnyKey(stringValue: key)) }
  }
}

struct Household: Codable, Sendable {
  var favourite: Animal
  var guest: Animal?
  var animals: [Animal]
}

/// A changed model: it has a new tag, a renamed field, an added field, and a migration from version 1. It contains
/// other instances of itself.
struct Reader: Archivable {
  var name: String
  var books: [Book]
  var friends: [Reader]
  var rank: Int
  @UnknownFields var unknownFields

  static let formerArchiveTags: [ArchiveTag] = ["Person"]
  static let formerFieldNames = ["friends": ["others"]]
  static var archiveDefaults: [String: any Encodable & Sendable] { ["rank": 1, "friends": [Reader]()] }
  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    object.move("title", to: "books", "title")
    object.transform("books") { books in books.object == nil ? books : [books] }
    try object.updateObjects(in: "others") { $0["rank"] = 2 }
    if object["name"] == nil { object["name"] = "nobody" }
  }
}

/// Was stored as a string before.
struct Book: Archivable {
  var title: String
  var owner: Owner?

  static let archiveVersion = 3

  static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
    if let title = value.string { value = ["title": .string(title)] }
  }
}

/// An instance that may be shared.
final class Owner: Archivable {
  let name: String
  let heir: Owner?

  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object.rename("label", to: "name") }
}
