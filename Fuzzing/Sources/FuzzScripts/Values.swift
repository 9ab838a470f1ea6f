import Foundation
import FuzzSupport
import GlobalData

/// A value whose script makes the calls of its `encode(to:)` and `init(from:)`.
protocol Scripted: Codable, Sendable, CustomStringConvertible {
  init(_ script: Script)
  var script: Script { get }
}

extension Scripted {
  init(from decoder: any Decoder) throws {
    Run.current(decoder.userInfo).read(from: decoder)
    self.init(Script(Choices([]), path: []))
  }

  func encode(to encoder: any Encoder) throws { try script.write(to: encoder, as: type(of: self)) }

  // Not the type: an archive has the type that was written, JSON that which is read.
  var description: String { "a scripted value" }
}

struct Plain: Scripted {
  let script: Script

  init(_ script: Script) { self.script = script }
}

struct Versioned: Scripted, Archivable {
  static let archiveVersion = 2
  let script: Script

  init(_ script: Script) { self.script = script }

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {}
}

struct Evolved: Scripted, Archivable {
  static let formerFieldNames = ["not written": ["not written either"]]
  let script: Script

  init(_ script: Script) { self.script = script }
}

class Base: Scripted, @unchecked Sendable {
  let script: Script

  required init(_ script: Script) { self.script = script }
}

final class Derived: Base, @unchecked Sendable {}

/// Stores its content in a single-value container.
struct Single<Content: Codable & Sendable>: Codable, Sendable {
  var content: Content

  init(_ content: Content) { self.content = content }

  init(from decoder: any Decoder) throws { content = try decoder.singleValueContainer().decode(Content.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }
}

/// Leaves its coding to its content, like `RawRepresentable` types and many wrappers.
struct Delegating<Content: Codable & Sendable>: Codable, Sendable {
  var content: Content

  init(_ content: Content) { self.content = content }

  init(from decoder: any Decoder) throws { content = try Content(from: decoder) }

  func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

/// Reads nothing, to skip an element.
struct Skipped: Codable {}

struct Point: Codable, Hashable {
  var x: Int
}

enum Values {
  /// Sets and dictionaries have one element, so that their order is the same in each run.
  static let samples: [any Codable & Sendable] = [
    1, "text", true, 0.5, UInt64.max, [1, 2, 3], ["a", "b"], [1, nil] as [Int?], Set([3]), ["a": 1], [7: "b"],
    [Point(x: 1): 2], Int?.none, Int??.some(nil), [String]??.some(nil), Point(x: 4), 1..<4, Data([1, 2]),
    Date(timeIntervalSinceReferenceDate: 0.1), Single(Single([1, 2])),
    Single(Date(timeIntervalSinceReferenceDate: 0.1)),
    Single(["k": 1]), Delegating(Point(x: 2)),
  ]

  /// A kind of value that contains the value of a script.
  struct Form: Sendable {
    /// The path from the value to that of the script.
    var keys: [Key] = []
    /// Whether a container may continue what the script has written.
    var isContinued = false
    let value: @Sendable (Script) -> any Codable & Sendable
  }

  static let forms =
    forms(of: Plain.self) + forms(of: Versioned.self) + forms(of: Evolved.self) + forms(of: Base.self)
    + forms(of: Derived.self)
    + [Form { Single<Base>(Derived($0)) }, Form(keys: [Key("Index 0", 0)]) { [Derived($0)] as [Base] }]

  private static func forms<Value: Scripted>(of type: Value.Type) -> [Form] {
    let isStruct = type == Plain.self
    return [
      Form(isContinued: isStruct) { Value($0) }, Form(isContinued: isStruct) { Single(Value($0)) },
      Form(isContinued: isStruct) { Delegating(Value($0)) },
      Form(keys: [Key("Index 0", 0)]) { [Value($0)] }, Form(keys: [Key("k")]) { ["k": Value($0)] },
      Form(keys: [Key(intValue: 7)]) { [7: Value($0)] },
    ]
  }

  /// Types that are tried everywhere, in addition to those that were written.
  static let others: [any (Decodable & Sendable).Type] = [
    Int.self, String.self, Double.self, Int?.self, Int??.self, [Int].self, [String: Int].self, Skipped.self, Plain.self,
  ]

  /// Returns a text that is the same for equal values.
  static func text(of value: Any) -> String {
    switch value {
    case let table as [AnyHashable: Any]: "\(table.map { "\($0): \(text(of: $1))" }.sorted())"
    case let set as Set<Int>: "\(set.sorted())"
    default: "\(value)"
    }
  }
}
