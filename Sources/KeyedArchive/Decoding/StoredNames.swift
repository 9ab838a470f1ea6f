/// The names that were found as stored text, with their bytes and heads. An archive of one value contains each name as
/// text, and most names are short. Comparing two words of a name takes a tenth of the time that its text takes.
struct StoredNames: ~Copyable {
  private struct Entry {
    let identity: TextIdentity
    let bytes: ShortBytes
  }

  /// A table with one slot for each hash. A name that has no slot of its own is compared as text.
  private var entries = ContiguousArray<Entry?>()
  /// The names, which keep the texts of the identities alive.
  private var names = ContiguousArray<String>()

  private static var size: Int { 128 }

  /// Returns the length of a name's bytes if they are at an offset, and `nil` if that is not known.
  @inline(__always)
  func length(of name: TextIdentity, at offset: Int, in reader: CBORReader) -> Int? {
    let index = StoredNames.index(of: name)
    guard index < entries.count, let entry = entries[index], entry.identity == name,
      reader.shortBytes(entry.bytes.count, at: offset) == entry.bytes
    else { return nil }
    return entry.bytes.count
  }

  /// Remembers the bytes of a name if they are short, and if no other name has the same slot.
  @inline(never)
  mutating func note(_ name: String, _ bytes: ShortBytes?) {
    guard let bytes else { return }
    if entries.isEmpty { entries = ContiguousArray(repeating: nil, count: StoredNames.size) }
    let identity = TextIdentity(name)
    let index = StoredNames.index(of: identity)
    guard entries[index] == nil else { return }
    entries[index] = Entry(identity: identity, bytes: bytes)
    names.append(name)
  }

  @inline(__always)
  private static func index(of name: TextIdentity) -> Int {
    Int(truncatingIfNeeded: name.hash &>> 32) & (size - 1)
  }
}
