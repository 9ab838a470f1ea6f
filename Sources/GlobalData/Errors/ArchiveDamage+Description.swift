import CodingSupport

// Descriptions for messages. They quote names, so this file is not part of the byte layer. The inspector compiles it
// without the other errors.

extension ArchiveDamage: CustomStringConvertible {
  var description: String {
    let entry = key.map { "the entry \($0.quoted)" } ?? "an entry"
    let what =
      switch kind {
      case .empty: "it is empty"
      case .zeros: "it starts with zeros"
      case .truncated: key == nil ? "it ends too early" : "it ends in the middle of \(entry)"
      case .malformed(let what): key == nil ? "found \(what)" : "found \(what) in \(entry)"
      case .expected(let what): key == nil ? "expected \(what)" : "expected \(what) in \(entry)"
      case .archiveHead: "the checksum of its head does not match"
      case .flippedBit(let what):
        "a flipped bit in \(what)\(key.map { " \($0.quoted)" } ?? "") was corrected"
      case .entryChecksum: "the checksum of \(entry) does not match"
      case .archiveChecksum: "the checksum of the archive does not match"
      case .changeChecksum: "the checksum of an appended change does not match"
      case .duplicateKey: "\(entry) appears twice"
      case .invalidKey(let what): "\(entry) has a key that \(what)"
      case .trailingBytes: "there is data after its end"
      }
    return "\(what), at byte \(offset)"
  }
}
