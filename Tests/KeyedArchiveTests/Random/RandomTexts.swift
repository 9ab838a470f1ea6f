import Foundation
import KeyedArchive
import TestSupport

extension String: RandomKey {
  private static let pieces = [
    "a", "b", "key", "\u{0}", "\"", "\\", "\n", "\u{7f}", "\u{e9}", "e\u{301}", "\u{212b}", "\u{c5}",
    "\u{1100}\u{1161}", "\u{feff}", "\u{fffd}", "\u{ffff}", "\u{10ffff}", "\u{1f469}\u{200d}\u{1f680}", "\r\n",
    "\u{d7ff}", "\u{e000}",
  ]

  static func random(_ random: inout SeededGenerator) -> String {
    switch random.below(4) {
    case 0: random.one(of: ["", "a repeated text", "Optional", "NaN", "0", "-1", "nil"])
    // Lengths at which a head becomes longer, or a reference to the string becomes shorter than the string.
    case 1: String(repeating: "x", count: random.one(of: [2, 3, 4, 23, 24, 255, 256]))
    default: (0..<random.count()).map { _ in random.one(of: pieces) }.joined()
    }
  }

  /// Compares scalars: two forms of one letter are equal, but not the same text.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Data: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Data {
    let count = random.one(of: [0, 1, 3, 16, 23, 24, 255, 256])
    let data = Data((0..<count + 2).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    // The indices of a slice do not begin at 0.
    return random.flip() ? data.dropFirst(2) : Data(data.dropLast(2))
  }
}

extension UUID: RandomKey {
  static func random(_ random: inout SeededGenerator) -> UUID {
    let halves = random.below(8) == 0 ? (0, .max) : (random.next(), random.next())
    return UUID(uuid: withUnsafeBytes(of: halves) { $0.loadUnaligned(as: uuid_t.self) })
  }
}

extension Date: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Date {
    switch random.below(4) {
    case 0: random.one(of: [.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)])
    case 1: Date(timeIntervalSince1970: Double(random.below(1 << 40) - 1 << 39))
    case 2: Date(timeIntervalSinceReferenceDate: Double(random.below(1 << 40)) / 1000)
    default: Date(timeIntervalSinceReferenceDate: .random(&random))
    }
  }

  func isIdentical(to other: Date) -> Bool {
    timeIntervalSinceReferenceDate.isIdentical(to: other.timeIntervalSinceReferenceDate)
  }
}

extension URL: RandomKey {
  private static let texts = [
    "https://a.example/", "https://ada@b.example:8080/x/y;z?q=1&q=2#f", "mailto:ada@example.org", "file:///tmp/a%20b/",
    "data:text/plain;base64,QQ==", "urn:isbn:1", "http://[::1]/%00", "a", "/", "?", "#", "?q=%C3%A9", "..",
    "//c.example", "HTTP://A.EXAMPLE", "http://a.example/%7Ea", "x:", ";p", "h\u{e9} \u{0}",
  ]

  static func random(_ random: inout SeededGenerator) -> URL {
    let base = random.below(3) == 0 ? URL.random(&random) : nil
    return URL(string: random.one(of: texts), relativeTo: base) ?? URL(fileURLWithPath: "/")
  }

  /// Compares the texts, not only the address.
  func isIdentical(to other: URL) -> Bool {
    guard relativeString.isIdentical(to: other.relativeString) else { return false }
    guard let baseURL, let otherBase = other.baseURL else { return baseURL == other.baseURL }
    return baseURL.isIdentical(to: otherBase)
  }
}
