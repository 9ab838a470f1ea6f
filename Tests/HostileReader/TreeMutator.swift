import Foundation
import KeyedArchive
import TestSupport

/// Creates well-formed trees that are not as the types wrote them whose names they have.
struct TreeMutator {
  var random: SeededGenerator
  /// Trees of other types, to be inserted at wrong positions.
  let others: [ArchiveValue]

  private static let numbers: [ArchiveValue] = [
    -1, 0, 1, 2, 7, 8, 13, 60, 400, .int(.max), .int(.min), .int(1 << 40), .int(-(1 << 40)), .int(0x11_0000),
    .int(Int(Int32.max)), .int(Int(Int32.min)), .int(Int(UInt32.max)), .uint(.max), .double(.nan), .double(.infinity),
    .double(-.infinity), .double(-0.0), .double(1e300), .double(-1e300), .double(.leastNonzeroMagnitude), .double(0.5),
    .bigInteger(isNegative: true, magnitude: Data(repeating: 0xff, count: 16)),
    .bigInteger(isNegative: false, magnitude: Data(repeating: 0xff, count: 40)), .decimal(Decimal.nan), .decimal(1.5),
    .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: .nan)),
    .date(Date(timeIntervalSinceReferenceDate: -1e300)),
  ]

  private static let texts: [ArchiveValue] = [
    "", " ", "9 9", "\u{0}", "a\u{0}b", "-1", "99999999999999999999", "..", "//", ":", "%", "%zz", "@", "[",
    "\u{1f469}\u{200d}\u{1f4bb}",
    "\u{301}", .string(String(repeating: "x", count: 5000)), .string(String(repeating: "/", count: 300)), "GMT+99:99",
    "GMT-2562047788015215", "Etc/../../x", "gregorian", "unknown", "de_DE@calendar=;;==", "EEEE''yyyy'",
  ]

  /// A tree with some parts changed.
  mutating func mutated(_ tree: ArchiveValue) -> ArchiveValue {
    var tree = tree
    for _ in 0...random.below(2) { tree = changed(tree, isRoot: true) }
    return tree
  }

  private mutating func changed(_ value: ArchiveValue, isRoot: Bool = false) -> ArchiveValue {
    let isHere = !isRoot && random.below(4) == 0
    switch value {
    case .object(var object):
      guard !isHere, let field = one(object.fields) else { return isRoot ? value : changedObject(object) }
      object[field.name] = changed(field.value)
      return .object(object)
    case .array(var elements):
      guard !isHere, let index = elements.indices.randomElement(using: &random) else {
        return isRoot ? value : .array(changedElements(elements))
      }
      elements[index] = changed(elements[index])
      return .array(elements)
    case .set(let elements): return isHere ? .array(elements) : .set(changedElements(elements))
    case .map(var pairs):
      guard !isHere, let index = pairs.indices.randomElement(using: &random) else { return replacement() }
      if random.below(2) == 0 {
        pairs[index].key = changed(pairs[index].key)
      } else {
        pairs[index].value = changed(pairs[index].value)
      }
      return .map(pairs)
    case .named(let tag, let version, let content):
      return isHere ? content : .named(tag, version: version, changed(content))
    case .tagged(let tag, let content): return .tagged(tag, changed(content))
    case .numbers(let tag, let bytes): return .numbers(tag: tag, bytes: changedBytes(bytes))
    case .data(let bytes): return .data(changedBytes(bytes))
    case .int, .uint, .double, .bigInteger, .decimal, .date: return random.below(4) > 0 ? number() : replacement()
    case .string: return random.below(4) > 0 ? text() : replacement()
    case .bool(let value): return random.below(2) == 0 ? .bool(!value) : replacement()
    default: return replacement()
    }
  }

  private mutating func changedObject(_ object: ArchiveObject) -> ArchiveValue {
    var object = object
    guard let field = one(object.fields) else { return replacement() }
    switch random.below(4) {
    case 0: object.remove(field.name)
    case 1: object[field.name] = .null
    case 2: object.rename(field.name, to: one(object.fields)?.name ?? "")
    default: return replacement()
    }
    return .object(object)
  }

  private mutating func changedElements(_ elements: [ArchiveValue]) -> [ArchiveValue] {
    switch random.below(6) {
    case 0: []
    case 1: Array(elements.dropLast())
    case 2: elements + elements
    case 3: elements.reversed()
    case 4: elements + [replacement()]
    default: elements.map { _ in replacement() }
    }
  }

  private mutating func changedBytes(_ bytes: Data) -> Data {
    switch random.below(5) {
    case 0: Data()
    case 1: bytes.dropLast(random.below(bytes.count + 1))
    case 2: bytes + bytes
    case 3:
      Data(repeating: UInt8(random.below(256)), count: random.one(of: [1, 3, 8, 8191, 8192, 8193, 8200, 140_000]))
    default: Data(bytes.map { random.below(8) == 0 ? $0 ^ 0xff : $0 })
    }
  }

  private mutating func replacement() -> ArchiveValue {
    switch random.below(8) {
    case 0: return .null
    case 1: return .bool(true)
    case 2: return .array([])
    case 3: return .object(ArchiveObject())
    case 4: return one(others) ?? .null
    case 5: return .data(Data([1, 2, 3]))
    case 6: return text()
    default: return number()
    }
  }

  private mutating func number() -> ArchiveValue { one(TreeMutator.numbers) ?? .null }

  private mutating func text() -> ArchiveValue { one(TreeMutator.texts) ?? .null }

  private mutating func one<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }
}

extension SeededGenerator {
  fileprivate mutating func one(of elements: [Int]) -> Int { elements[below(elements.count)] }
}

// Reads mutated trees of every standard type, and prints how many of each type were accepted and refused. In verbose
// mode, prints each archive before it is read: the last one is the one that stopped the program.
func readMutations(seed: UInt64, count: Int, isVerbose: Bool) throws {
  let values = try StandardValue.all()
  let missing = Set(TypeRegistry.standardTypeNames).subtracting(values.map(\.type)).subtracting(["Never"])
  guard missing.isEmpty else { return say("StandardValues.swift has no value of \(missing.sorted())") }
  let decoder = KeyedArchiveDecoder()
  let trees = try values.map { try decoder.decode(ArchiveValue.self, from: $0.encoded) }
  var mutator = TreeMutator(random: SeededGenerator(seed: seed), others: trees.compactMap { $0[0] })
  for (value, tree) in zip(values, trees) {
    try value.read(value.encoded)  // an unchanged archive is never refused
    var (accepted, refused) = (0, 0)
    for _ in 0..<count {
      let mutated = mutator.mutated(tree)
      // Bytes that are not whole numbers cannot even be written.
      guard let data = try? KeyedArchiveEncoder().encode(mutated) else { continue }
      if isVerbose { say("\(value.type) \(data.hex)") }
      do {
        try value.read(data)
        accepted += 1
      } catch {
        refused += 1
      }
      do {
        if let copy = try decoder.decode(from: data) { _ = try KeyedArchiveEncoder().encode(copy) }
        accepted += 1
      } catch {
        refused += 1
      }
    }
    say("\(accepted) \(refused) \(value.type)")
  }
}
