/// Conversions between the bits of IEEE 754 half precision and wider formats. `Float16` is not available on Intel Macs,
/// so the code moves the bits itself. Source: IEEE 754-2019, section 3.4.
package enum HalfPrecision {
  /// Returns the half-precision bits of a value, including NaN payloads and the sign of zero, or `nil` if they are not
  /// exact.
  static func bits(exactly value: Float) -> UInt16? {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits &>> 16) & 0x8000
    let exponent = Int((bits &>> 23) & 0xff)
    let fraction = bits & 0x7f_ffff
    switch exponent {
    case 0: return fraction == 0 ? sign : nil
    case 255:
      guard fraction & 0x1fff == 0 else { return nil }
      return sign | 0x7c00 | UInt16(truncatingIfNeeded: fraction &>> 13)
    case 113...142:  // -14...15: normal in half precision
      guard fraction & 0x1fff == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: (exponent - 112) &<< 10) | UInt16(truncatingIfNeeded: fraction &>> 13)
    case 103...112:  // -24...(-15): subnormal in half precision
      let shift = UInt32(126 - exponent)
      let significand = fraction | 0x80_0000
      guard significand & ((1 &<< shift) - 1) == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: significand &>> shift)
    default: return nil
    }
  }

  static func singleBits(exactly value: Double) -> UInt32? {
    if value.isNaN {
      // A hardware conversion would make a signaling NaN quiet, so the code moves the payload itself.
      let bits = value.bitPattern
      guard bits & 0x1fff_ffff == 0 else { return nil }
      let sign = UInt32(truncatingIfNeeded: bits &>> 32) & 0x8000_0000
      return sign | 0x7f80_0000 | (UInt32(truncatingIfNeeded: bits &>> 29) & 0x7f_ffff)
    }
    let single = Float(value)
    return Double(single).bitPattern == value.bitPattern ? single.bitPattern : nil
  }

  static func single(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) &<< 16
    let exponent = UInt32(bits &>> 10) & 0x1f
    let fraction = UInt32(bits & 0x3ff)
    switch exponent {
    case 0:
      let magnitude = Float(fraction) * 0x1p-24
      return Float(bitPattern: magnitude.bitPattern | sign)
    case 31: return Float(bitPattern: sign | 0x7f80_0000 | fraction &<< 13)
    default: return Float(bitPattern: sign | (exponent + 112) &<< 23 | fraction &<< 13)
    }
  }

  /// Returns the double-precision value of single-precision bits. The result is always exact, including NaN payloads.
  static func double(_ bits: UInt32) -> Double {
    if bits & 0x7f80_0000 == 0x7f80_0000 {
      let sign = UInt64(bits & 0x8000_0000) &<< 32
      return Double(bitPattern: sign | 0x7ff0_0000_0000_0000 | UInt64(bits & 0x7f_ffff) &<< 29)
    }
    return Double(Float(bitPattern: bits))
  }
}
