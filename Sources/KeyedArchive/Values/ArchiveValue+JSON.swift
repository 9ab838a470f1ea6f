import Foundation

extension ArchiveValue {
  /// The value as JSON text that keeps every number exact.
  ///
  /// JSON has fewer kinds than an archive. Data becomes base64. A date becomes ISO 8601 in UTC, with as many of three, six or
  /// nine digits for the fraction of a second as give back the same date; Foundation reads it, and like it dates before
  /// 15 October 1582 are those of the Julian calendar. A date outside of the years 1 to 9999, or one that needs more digits, as
  /// some within 98 days of the beginning of 2001 do, becomes the number of seconds since then. UUIDs, URLs and numbers that are
  /// not finite become text, and so does a key that is not text, in diagnostic notation. Tags and versions are left out. Integers
  /// and decimals are written with all their digits; only an integer of more than 1,024 bytes becomes text in CBOR diagnostic
  /// notation, since making its decimal digits takes the square of its length.
  ///
  /// - Parameter isPretty: Whether to write each element on a line of its own, indented by two spaces.
  /// - Returns: JSON text of RFC 8259.
  /// - Complexity: O(*n*) in the length of the text.
  public func json(isPretty: Bool = false) -> String {
    var writer = JSONWriter<Never>(JSONStyle(isPretty: isPretty))
    writer.append(self)
    return writer.stream.collected
  }

  /// The greatest magnitude of an integer that is written in decimal digits, in bytes.
  static let longestDecimalInteger = 1024

  /// The decimal digits of a big integer.
  static func digits(isNegative: Bool, magnitude: Data) -> String {
    let base: UInt64 = 1_000_000_000
    var limbs: [UInt64] = [0]  // of nine digits each, least significant first
    var rest = magnitude[...]
    while !rest.isEmpty {
      // Four bytes at once; the first ones may be fewer.
      let word = rest.prefix((rest.count - 1) % 4 + 1)
      rest = rest.dropFirst(word.count)
      var carry = word.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      for index in limbs.indices {
        let value = limbs[index] << UInt64(8 * word.count) + carry
        limbs[index] = value % base
        carry = value / base
      }
      while carry > 0 {
        limbs.append(carry % base)
        carry /= base
      }
    }
    if isNegative {
      // The value is -1 - magnitude, so the digits are those of magnitude + 1.
      var index = 0
      while index < limbs.count, limbs[index] == base - 1 {
        limbs[index] = 0
        index += 1
      }
      if index == limbs.count { limbs.append(1) } else { limbs[index] += 1 }
    }
    let groups = limbs.reversed().enumerated().map { index, limb in
      let digits = String(limb)
      return index == 0 ? digits : String(repeating: "0", count: 9 - digits.count) + digits
    }
    return (isNegative ? "-" : "") + groups.joined()
  }
}
