import Foundation
import KeyedArchive
import TestSupport

// Every second number is at a boundary, where a width, a sign or a precision changes.

extension RandomValue where Self: FixedWidthInteger {
  static func random(_ random: inout SeededGenerator) -> Self {
    let bits = Self(truncatingIfNeeded: UInt128(random.next()) << 64 | UInt128(random.next()))
    switch random.below(6) {
    case 0: return random.one(of: [.min, .max, 0, 1, ~0, .min + 1, .max - 1, 23, 24] as [Self])
    case 1, 2:
      // A power of two and its neighbors, where the heads of CBOR become longer.
      let power: Self = 1 << Self(truncatingIfNeeded: random.below(Self.bitWidth))
      return random.one(of: [power, power &- 1, ~power, 0 &- power, power &+ 1])
    case 3: return bits
    default: return bits >> Self(truncatingIfNeeded: random.below(Self.bitWidth))
    }
  }
}

extension Int: RandomKey {}
extension Int8: RandomKey {}
extension Int16: RandomKey {}
extension Int32: RandomKey {}
extension Int64: RandomKey {}
extension Int128: RandomKey {}
extension UInt: RandomKey {}
extension UInt8: RandomKey {}
extension UInt16: RandomKey {}
extension UInt32: RandomKey {}
extension UInt64: RandomKey {}
extension UInt128: RandomKey {}

extension RandomValue where Self: BinaryFloatingPoint, RawSignificand: FixedWidthInteger {
  static func random(_ random: inout SeededGenerator) -> Self {
    let sign = random.flip() ? FloatingPointSign.plus : .minus
    switch random.below(8) {
    case 0: return random.one(of: [0, -0.0, 1, -1, 0.1, 1.5, .pi] as [Self])
    case 1: return random.one(of: [.infinity, -.infinity, .greatestFiniteMagnitude, .ulpOfOne] as [Self])
    case 2: return random.one(of: [.leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude] as [Self])
    case 3:
      // Any significand except 0 makes a NaN. Its highest bit distinguishes a quiet NaN from a signaling one.
      return Self(
        sign: sign, exponentBitPattern: Self.infinity.exponentBitPattern,
        significandBitPattern: random.significand(of: Self.self) | (random.flip() ? 1 : Self.nan.significandBitPattern))
    case 4: return Self(random.below(1 << 15)) / 1024
    case 5: return Self(sign: sign, exponent: random.exponent(of: Self.self), significand: 1)
    default:
      let exponent = RawExponent(truncatingIfNeeded: random.below(Int(Self.infinity.exponentBitPattern)))
      return Self(
        sign: sign, exponentBitPattern: exponent, significandBitPattern: random.significand(of: Self.self))
    }
  }

  func isIdentical(to other: Self) -> Bool {
    sign == other.sign && exponentBitPattern == other.exponentBitPattern
      && significandBitPattern == other.significandBitPattern
  }
}

extension SeededGenerator {
  /// The bits of a significand. Often only the first bits are set, so that narrower formats hold some of the numbers.
  fileprivate mutating func significand<Float: BinaryFloatingPoint>(of _: Float.Type) -> Float.RawSignificand
  where Float.RawSignificand: FixedWidthInteger {
    let mask = (1 as Float.RawSignificand) << Float.RawSignificand(Float.significandBitCount) - 1
    let kept = Float.RawSignificand(truncatingIfNeeded: below(Float.significandBitCount + 1))
    return Float.RawSignificand(truncatingIfNeeded: next()) & mask & ~(mask >> kept)
  }

  fileprivate mutating func exponent<Float: BinaryFloatingPoint>(of _: Float.Type) -> Float.Exponent {
    let least = Int(Float.leastNonzeroMagnitude.exponent)
    let most = Int(Float.greatestFiniteMagnitude.exponent)
    return Float.Exponent(least + below(most - least + 1))
  }
}

extension Double: RandomKey {}
extension Float: RandomKey {}
extension CGFloat: RandomKey {}

extension Bool: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Bool { random.flip() }
}

extension Decimal: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Decimal {
    switch random.below(4) {
    case 0: return random.one(of: [.nan, 0, 1, -1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    case 1:
      return Decimal(sign: .minus, exponent: random.below(256) - 128, significand: Decimal(UInt64.random(&random)))
    case 2: return Decimal(random.below(1_000_000)) / 100
    default:
      let digits = (0...random.below(38)).map { _ in String(random.below(10)) }.joined()
      return Decimal(string: "\(digits)e\(random.below(160) - 120)") ?? .nan
    }
  }

  /// Compares digits and exponent, not only the value.
  func isIdentical(to other: Decimal) -> Bool {
    guard !isNaN, !other.isNaN else { return isNaN == other.isNaN }
    return isSignMinus == other.isSignMinus && exponent == other.exponent
      && significand.description == other.significand.description
  }
}
