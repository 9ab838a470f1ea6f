/// The names of the files that a store keeps next to its own.
///
/// They contain a checksum of the file's name, because that name may have the maximum length. All spellings that are
/// one name to the volume have the same checksum.
struct SideFileName: Equatable, Sendable {
  /// `.as-`, 16 hexadecimal digits, `.lock`: an empty file that writers lock. It is never renamed, so that all writers
  /// lock the same file, and is removed when the store is cleared.
  let lock: String
  private let readableName: String
  private let digits: String
  private let comparison: NameComparison

  init(for name: String, _ comparison: NameComparison) {
    self.comparison = comparison
    var hash = XXHash64()
    var folded = comparison.folded(name)
    folded.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    let digits = SideFileName.digits(hash.checksum, 16)
    lock = ".as-\(digits).lock"
    // Names have up to 255 bytes; the suffix has 26. A range of a text begins and ends between its Unicode scalars.
    readableName = String(name[..<name.utf8.prefix(220).endIndex])
    self.digits = String(digits.prefix(8))
  }

  // MARK: Files that are set aside

  /// Why a file was set aside.
  enum Aside: CaseIterable {
    /// It was damaged.
    case damaged
    /// A backup replaced it.
    case replaced
  }

  /// Returns a name for the file: the store's own, `.damaged-` or `.replaced-`, 8 digits that identify the store, and 8
  /// random digits.
  func aside(_ reason: Aside) -> String {
    asidePrefix(reason) + SideFileName.digits(UInt64(UInt32.random(in: .min ... .max)), 8)
  }

  private func asidePrefix(_ reason: Aside) -> String {
    "\(readableName)\(reason == .damaged ? ".damaged-" : ".replaced-")\(digits)"
  }

  @inline(never)
  func isAside(_ name: String, _ reason: Aside) -> Bool {
    let (name, prefix) = (comparison.folded(name), comparison.folded(asidePrefix(reason)))
    guard name.hasPrefix(prefix) else { return false }
    let rest = name.dropFirst(prefix.count)
    return rest.utf8.count == 8 && SideFileName.isHexadecimal(rest)
  }

  private static func digits(_ number: UInt64, _ count: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  // MARK: Temporary files

  /// Returns a name for a temporary file, most likely an unused one: `.as-`, 16 random hexadecimal digits, `.tmp`.
  ///
  /// The name does not identify its writer. The writer locks the file for as long as it needs the file, and other
  /// processes can see the lock whatever process numbers mean to them. The name does not identify the store, either.
  static func temporary() -> String { ".as-\(digits(UInt64.random(in: .min ... .max), 16)).tmp" }

  static func isTemporary(_ name: String) -> Bool {
    name.utf8.count == 24 && name.hasPrefix(".as-") && name.hasSuffix(".tmp")
      && isHexadecimal(name.dropFirst(4).dropLast(4))
  }

  private static func isHexadecimal(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}
