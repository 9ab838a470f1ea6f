import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Containers whose head is longer or shorter than estimated, so that their contents move. Strings with references and
/// marked instances move with them.
@Suite struct HeadGrowthTests {
  /// An array whose count is unknown when it is opened. Any type may write one.
  private struct Stream<Element: Codable>: Codable {
    var elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      elements = []
      while !container.isAtEnd { try elements.append(container.decode(Element.self)) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    }
  }

  @Test(arguments: [0, 1, 23, 24, 25, 255, 256, 257, 65_535, 65_536, 65_537])
  func aCountIsWrittenInTheShortestHead(count: Int) throws {
    let data = try KeyedArchiveEncoder().encode(Stream([Int](repeating: 5, count: count)))
    let head =
      switch count {
      case ..<24: String(format: "%02x", 0x80 + count)
      case ..<256: String(format: "98%02x", count)
      case ..<65_536: String(format: "99%04x", count)
      default: String(format: "9a%08x", count)
      }
    #expect(data.hex.hasSuffix("3c496e743e" + head + String(repeating: "05", count: count)))  // after "Stream<Int>"
    #expect(try KeyedArchiveDecoder().decode(Stream<Int>.self, from: data).elements.count == count)
  }

  @Test(arguments: [
    [1, 24, 1, 24], [23, 24, 25, 22], [255, 256, 1, 300], [1, 65_536, 2], [70_000, 1, 300, 24, 0], [0, 0, 256, 0],
  ])
  func stringsAreFoundAgainAfterTheirBytesMoved(counts: [Int]) throws {
    let lists = counts.enumerated().map { place, count in
      Stream((0..<count).map { "list \(place % 2) element \($0 % 300)" })
    }
    // Each list is followed by text that repeats the text before, inside and after it.
    let value = Stream(
      lists.flatMap { [Stream(["repeated", "first"]), $0, Stream(["repeated", "list 0 element 1"])] })
    let data = try KeyedArchiveEncoder().encode(Stream([value, value]))
    let copy = try KeyedArchiveDecoder().decode(Stream<Stream<Stream<String>>>.self, from: data)
    let texts = copy.elements.map { $0.elements.map(\.elements) }
    #expect(texts == [value.elements.map(\.elements), value.elements.map(\.elements)])
  }

  @Test func mapsGrowAsArraysDo() throws {
    for count in [23, 24, 255, 256, 65_536] {
      let value = Scripted { encoder in
        var outer = encoder.container(keyedBy: AnyKey.self)
        try outer.encode("value 1", forKey: "value 2")
        var map = outer.nestedContainer(keyedBy: AnyKey.self, forKey: "map")
        for number in 0..<count { try map.encode("value \(number % 40)", forKey: AnyKey(stringValue: "key \(number)")) }
        try outer.encode("value 3", forKey: "key 7")
      }
      let tree = try decode(ArchiveValue.self, encodedHex(value))
      #expect(tree.object?.fields.map(\.name) == ["value 2", "map", "key 7"])
      #expect(tree["map"]?.object?.fields.count == count)
      #expect(tree["map"]?["key \(count - 1)"]?.string == "value \((count - 1) % 40)")
      #expect(tree["key 7"] == "value 3")
    }
  }

  @Test(arguments: [1, 23, 24, 256, 2000])
  func sharedInstancesAreFoundAgainAfterTheirBytesMoved(count: Int) throws {
    let shared = Animal(name: "shared")
    let animals = (0..<count).map { $0 % 3 == 1 ? shared : Animal(name: "animal \($0 % 5)") }
    let value = Stream([Stream([shared, Animal(name: "alone")]), Stream(animals), Stream([shared])])
    let copy = try roundTrip(value)
    let copies = copy.elements.flatMap(\.elements)
    #expect(copies.map(\.name) == value.elements.flatMap(\.elements).map(\.name))
    let sharedCopies = copies.filter { $0.name == "shared" }
    #expect(sharedCopies.allSatisfy { $0 === sharedCopies[0] })
    #expect(
      Set(copies.filter { $0.name != "shared" }.map(ObjectIdentifier.init)).count == copies.count - sharedCopies.count)
  }
}
