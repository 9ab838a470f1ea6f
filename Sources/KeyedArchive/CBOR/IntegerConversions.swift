// The integer conversions that this package uses most. They take precedence over those of the standard library.
//
// The standard library's conversions are generic, and the compiler inlines them, in debug builds too. For that it
// copies most of both types' conformances to `BinaryInteger` into each file with a conversion and compiles them there,
// which takes some 0.1 seconds a file. Shifts by a number of another type, such as `bits << 8`, do the same; `&<<` and
// `&>>` do not. A conversion to a wider type truncates nothing, so it needs no check.

extension Int {
  @inlinable package init(_ value: UInt64) { self = numericCast(value) }
  @inlinable package init(_ value: UInt32) { self = numericCast(value) }
  @inlinable package init(_ value: Int32) { self.init(truncating: value) }
  @inlinable package init(_ value: UInt16) { self.init(truncating: value) }
  @inlinable package init(_ value: UInt8) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: UInt64) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: UInt32) { self.init(truncating: value) }
  @inlinable package init?(exactly value: UInt64) { self.init(exact: value) }
  @inlinable package static var max: Int { greatest }
  @inlinable package func isMultiple(of other: Int) -> Bool { isDivisible(by: other) }
}

extension Int64 {
  @inlinable package init(_ value: Int) { self.init(truncating: value) }
  @inlinable package init(_ value: Int32) { self.init(truncating: value) }
  @inlinable package init(_ value: UInt32) { self.init(truncating: value) }
  @inlinable package init?(exactly value: UInt64) { self.init(exact: value) }
}

extension Int32 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
  @inlinable package init(truncatingIfNeeded value: Int) { self.init(truncating: value) }
  @inlinable package init?(exactly value: UInt64) { self.init(exact: value) }
}

extension UInt64 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
  @inlinable package init(_ value: UInt32) { self.init(truncating: value) }
  @inlinable package init(_ value: UInt16) { self.init(truncating: value) }
  @inlinable package init(_ value: UInt8) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: Int) { self.init(truncating: value) }
  @inlinable package init?(exactly value: Int) { self.init(exact: value) }
  @inlinable package static var min: UInt64 { 0 }
  @inlinable package static var max: UInt64 { greatest }
}

extension UInt32 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
  @inlinable package init(_ value: Int32) { self = numericCast(value) }
  @inlinable package init(_ value: UInt64) { self = numericCast(value) }
  @inlinable package init(_ value: UInt16) { self.init(truncating: value) }
  @inlinable package init(_ value: UInt8) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: UInt64) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: Int) { self.init(truncating: value) }
  @inlinable package init?(exactly value: Int) { self.init(exact: value) }
  @inlinable package static var max: UInt32 { greatest }
}

extension UInt16 {
  @inlinable package init(_ value: UInt64) { self = numericCast(value) }
  @inlinable package init(truncatingIfNeeded value: UInt64) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: Int) { self.init(truncating: value) }
}

extension UInt8 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
  @inlinable package init(truncatingIfNeeded value: UInt64) { self.init(truncating: value) }
  @inlinable package init(truncatingIfNeeded value: Int) { self.init(truncating: value) }
}

extension FixedWidthInteger {
  // These call the standard library's conversions, because `Self` is generic here.
  @inlinable package init(truncating value: some BinaryInteger) { self.init(truncatingIfNeeded: value) }
  @inlinable package init?(exact value: some BinaryInteger) { self.init(exactly: value) }
  @inlinable package static var greatest: Self { max }
  @inlinable package func isDivisible(by other: Self) -> Bool { isMultiple(of: other) }
}
