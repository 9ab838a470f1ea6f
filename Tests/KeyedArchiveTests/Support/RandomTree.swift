import Foundation
import KeyedArchive
import TestSupport

/// Random trees of every kind of value, in the form in which a decoder returns them.
struct RandomTree {
  var random: SeededGenerator
  /// The number of values that may still be created for the current tree.
  private var budget = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  mutating func next() -> ArchiveValue {
    budget = 1 << random.below(6)
    return value(levels: 5)
  }

  private mutating func value(levels: Int) -> ArchiveValue {
    budget -= 1
    guard levels > 0, budget > 0 else { return scalar() }
    switch random.below(14) {
    case 0, 1: return .array(values(levels - 1))
    case 2: return .set(values(levels - 1))
    case 3...5: return .object(object(levels - 1))
    case 6: return .map(pairs(levels - 1))
    case 7: return named(levels - 1)
    case 8: return .tagged([6, 24, 63, 88, 1000, .max][random.below(6)], value(levels: levels - 1))
    default: return scalar()
    }
  }

  private mutating func values(_ levels: Int) -> [ArchiveValue] {
    (0..<random.below(5)).map { _ in value(levels: levels) }
  }

  private mutating func object(_ levels: Int) -> ArchiveObject {
    var object = ArchiveObject()
    if random.below(2) == 0 { object = ArchiveObject(tag: tag(), version: 1 + random.below(3)) }
    for _ in 0..<random.below(5) { object[text()] = value(levels: levels) }
    return object
  }

  private mutating func pairs(_ levels: Int) -> [ArchiveValue.Pair] {
    // At least one key is not text. Otherwise, the map would be an object.
    var keys: Set<ArchiveValue> = [.int(random.below(1000))]
    for _ in 0..<random.below(4) { keys.insert(value(levels: levels)) }
    return keys.map { .init(key: $0, value: value(levels: levels)) }
  }

  private mutating func named(_ levels: Int) -> ArchiveValue {
    let content = value(levels: levels)
    // An object without a tag would treat this tag as its own.
    if case .object(let object) = content, object.tag == nil { return content }
    return .named(tag(), version: 1 + random.below(3), content)
  }

  private mutating func tag() -> ArchiveTag {
    ArchiveTag(["A", "Car", "Garage.Slot", "[Int]", "Optional", "Größe"][random.below(6)])
  }

  private mutating func text() -> String {
    let alphabet = ["a", "b", "-", "\u{e9}", "e\u{301}", "\u{6c34}", "\u{10151}", "\u{0}", "\"", "\\"]
    switch random.below(4) {
    case 0: return ""
    case 1: return "repeated \(random.below(5))"
    default: return (0..<random.below(12)).map { _ in alphabet[random.below(alphabet.count)] }.joined()
    }
  }

  private mutating func bytes(_ maximum: Int) -> Data {
    Data((0..<random.below(maximum + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  private mutating func scalar() -> ArchiveValue {
    switch random.below(18) {
    case 0: return .null
    case 1: return .undefined
    case 2: return .bool(random.below(2) == 0)
    case 3: return .int(Int(truncatingIfNeeded: random.next()) >> random.below(64))
    case 4: return .uint(random.next() | 1 << 63)
    case 5: return bigInteger()
    case 6: return .double(Double(bitPattern: random.next()))
    case 7: return .double(Double(random.below(2000) - 1000) / 8)
    case 8: return decimal()
    case 9, 10: return .string(text())
    case 11: return .data(bytes(10))
    case 12: return .date(Date(timeIntervalSinceReferenceDate: Double(random.below(1 << 40)) / 1024))
    case 13: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: random.next())))
    case 14: return .uuid(UUID(uuid: withUnsafeBytes(of: (random.next(), random.next())) { $0.load(as: uuid_t.self) }))
    case 15: return url()
    case 16: return numbers()
    default:
      let value = random.below(236)
      return .simple(UInt8(value < 20 ? value : value + 20 < 32 ? 32 : value + 20))
    }
  }

  private mutating func bigInteger() -> ArchiveValue {
    let isNegative = random.below(2) == 0
    // Eight bytes are enough for a negative number that Int cannot hold. A positive one would be a UInt64.
    var magnitude = bytes(20)
    while magnitude.count < (isNegative ? 8 : 9) { magnitude.append(0xff) }
    magnitude[0] |= 0x80
    return .bigInteger(isNegative: isNegative, magnitude: magnitude)
  }

  private mutating func decimal() -> ArchiveValue {
    let digits = (0..<random.below(30) + 1).map { _ in String(random.below(10)) }.joined()
    return .decimal(Decimal(string: "-\(digits)e\(random.below(200) - 100)") ?? .nan)
  }

  private mutating func url() -> ArchiveValue {
    let base = URL(string: "https://a.example/\(random.below(100))/")
    let url = random.below(2) == 0 ? base : URL(string: "b?c=\(random.below(100))", relativeTo: base)
    return url.map { .url($0) } ?? .null
  }

  private mutating func numbers() -> ArchiveValue {
    let tag = [64, 65, 69, 72, 77, 80, 84, 85, 86, 71][random.below(10)]
    let width = [64: 1, 65: 2, 69: 2, 72: 1, 77: 2, 80: 2, 84: 2, 85: 4, 86: 8, 71: 8][tag] ?? 1
    let data = bytes(40)
    return .numbers(tag: UInt64(tag), bytes: data.prefix(data.count / width * width))
  }
}
