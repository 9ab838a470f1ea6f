/// The name of a temporary file: `.as-`, 16 hexadecimal digits, `.tmp`.
///
/// The first eight digits are the number of the process that writes the file, so that others can tell whether it still
/// may; the last eight are random. The name does not contain that of the real file, which may be as long as names can
/// be.
struct TemporaryFileName: Equatable {
  let text: String
  let processID: Int32

  private static let prefix = ".as-"
  private static let suffix = ".tmp"
  private static let digits = "0123456789abcdef".utf8

  /// A name that is most likely free.
  init(processID: Int32) {
    self.processID = processID
    let number = UInt64(UInt32(bitPattern: processID)) << 32 | UInt64(UInt32.random(in: .min ... .max))
    let digits = String(number, radix: 16)
    text = Self.prefix + String(repeating: "0", count: 16 - digits.count) + digits + Self.suffix
  }

  /// Recognizes a name, or returns `nil` for one of another form.
  init?(_ text: String) {
    guard text.utf8.count == 24, text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix) else { return nil }
    let digits = text.dropFirst(4).dropLast(4)
    // The number is read without regard to signs and capitals, which our own names do not have.
    guard digits.utf8.allSatisfy(Self.digits.contains), let number = UInt64(digits, radix: 16) else { return nil }
    self.text = text
    processID = Int32(bitPattern: UInt32(truncatingIfNeeded: number >> 32))
  }
}
