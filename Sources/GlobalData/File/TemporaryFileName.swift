/// The name of a temporary file: `.as-`, 16 random hexadecimal digits, `.tmp`.
///
/// The name does not contain that of the real file, which may be as long as names can be. Nor does it tell its writer: the
/// writer locks the file for as long as it needs it, which others can see whatever process numbers mean to them.
struct TemporaryFileName: Equatable {
  let text: String

  private static let prefix = ".as-"
  private static let suffix = ".tmp"
  private static let digits = "0123456789abcdef".utf8

  /// A name that is most likely free.
  init() {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    text = Self.prefix + String(repeating: "0", count: 16 - digits.count) + digits + Self.suffix
  }

  /// Recognizes a name, or returns `nil` for one of another form.
  init?(_ text: String) {
    guard text.utf8.count == 24, text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix),
      text.dropFirst(4).dropLast(4).utf8.allSatisfy(Self.digits.contains)
    else { return nil }
    self.text = text
  }
}
