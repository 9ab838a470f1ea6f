import Foundation

@testable import GlobalData

/// A small archive of format version 1, byte for byte.
///
/// Created with Python (cbor2 and xxhash), independently of this package. It never changes: its contents must stay
/// readable forever.
enum GoldenImage {
  static let identity = UUID(
    uuid: (
      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff
    )
  )

  static let car = Data([0x64] + Array("BMW!".utf8))
  static let numbers = Data([0x83, 0x01, 0xfb, 0x40, 0x04, 0, 0, 0, 0, 0, 0, 0xf6])

  /// The bytes in groups, each with its meaning.
  static let groups: [(meaning: String, bytes: [UInt8])] = [
    ("tag 55799, self-described CBOR", [0xd9, 0xd9, 0xf7]),
    ("array of 8", [0x88]),
    ("text of 10 bytes", [0x6a]),
    ("GlobalData", [0x47, 0x6c, 0x6f, 0x62, 0x61, 0x6c, 0x44, 0x61, 0x74, 0x61]),
    ("format version 1", [0x01]),
    ("tag 37, UUID; 16 bytes", [0xd8, 0x25, 0x50]),
    (
      "the UUID",
      [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]
    ),
    ("generation 42", [0x1b, 0, 0, 0, 0, 0, 0, 0, 0x2a]),
    ("length of the entries: 47", [0x1b, 0, 0, 0, 0, 0, 0, 0, 0x2f]),
    ("8 bytes: checksum of the head", [0x48]),
    ("XXH64 of all bytes before it", [0x6f, 0x9c, 0x6b, 0xfb, 0x4e, 0xc2, 0x62, 0x4f]),
    ("map of 2 entries", [0xa2]),

    ("text of 3 bytes: a key", [0x63]),
    ("car", [0x63, 0x61, 0x72]),
    ("array of 3", [0x83]),
    ("length of the value: 5", [0x05]),
    ("8 bytes: checksum of key and value", [0x48]),
    ("XXH64 of 636172, seeded with that of 64424d5721", [0x54, 0x36, 0xe9, 0xc2, 0xbf, 0xfa, 0x82, 0xa3]),
    ("the value: text BMW!", [0x64, 0x42, 0x4d, 0x57, 0x21]),

    ("text of 2 bytes: a key", [0x62]),
    ("é, precomposed", [0xc3, 0xa9]),
    ("array of 3", [0x83]),
    ("length of the value: 12", [0x0c]),
    ("8 bytes: checksum of key and value", [0x48]),
    ("XXH64 of c3a9, seeded with that of the value", [0x75, 0x7b, 0x21, 0xdf, 0x9b, 0xba, 0x76, 0x02]),
    ("the value: [1, 2.5, null]", [0x83, 0x01, 0xfb, 0x40, 0x04, 0, 0, 0, 0, 0, 0, 0xf6]),

    ("8 bytes: checksum of the whole", [0x48]),
    (
      "XXH64 of all bytes before the first entry and of both checksums",
      [0x33, 0x8c, 0x0e, 0x8d, 0x4c, 0xd4, 0xc8, 0x30]
    ),
  ]

  /// The bytes of a change after it: "car" is removed, "note" is set.
  static let change: [(meaning: String, bytes: [UInt8])] = [
    ("array of 8", [0x88]),
    ("generation 43", [0x1b, 0, 0, 0, 0, 0, 0, 0, 0x2b]),
    ("118 bytes before it are on stable storage", [0x1b, 0, 0, 0, 0, 0, 0, 0, 0x76]),
    ("47 bytes follow the head", [0x1b, 0, 0, 0, 0, 0, 0, 0, 0x2f]),
    ("8 bytes: checksum of the archive", [0x48, 0x33, 0x8c, 0x0e, 0x8d, 0x4c, 0xd4, 0xc8, 0x30]),
    ("8 bytes: checksum of the head", [0x48]),
    (
      "XXH64 of all bytes of the change before it, seeded with the archive's checksum",
      [0x60, 0x42, 0x69, 0x4f, 0x3d, 0x2d, 0x75, 0x04]
    ),
    ("array of 4: two steps", [0x84]),
    ("text of 3 bytes: car", [0x63, 0x63, 0x61, 0x72]),
    ("array of 1: removed", [0x81]),
    (
      "8 bytes: XXH64 of 636172, seeded with that of no bytes",
      [0x48, 0x6b, 0x8c, 0x23, 0xab, 0x3a, 0x7b, 0x3c, 0x28]
    ),
    ("text of 4 bytes: note", [0x64, 0x6e, 0x6f, 0x74, 0x65]),
    ("array of 3; length of the value: 3", [0x83, 0x03]),
    (
      "8 bytes: XXH64 of 6e6f7465, seeded with that of 626f6b",
      [0x48, 0x2b, 0x6e, 0x51, 0x1f, 0x11, 0xee, 0xe9, 0x92]
    ),
    ("the value: text ok", [0x62, 0x6f, 0x6b]),
    ("8 bytes: checksum of the change", [0x48]),
    (
      "XXH64 of 84 and the checksums of both steps, seeded with the head's checksum",
      [0xae, 0xe5, 0x9f, 0xa4, 0x8c, 0xb1, 0x7a, 0x8d]
    ),
    ("text of 3 bytes: end", [0x63, 0x65, 0x6e, 0x64]),
  ]

  static var data: Data { Data(groups.flatMap(\.bytes)) }

  static var image: ArchiveImage {
    ArchiveImage(
      identity: identity,
      generation: 42,
      entries: [StoredEntry(key: "car", value: car), StoredEntry(key: "\u{e9}", value: numbers)]
    )
  }

  /// The offset of the first byte of the *n*th group whose meaning starts with this text.
  static func offset(of meaning: String, nth: Int = 1) -> Int {
    var offset = 0
    var found = 0
    for group in groups {
      if group.meaning.hasPrefix(meaning) { found += 1 }
      if found == nth { return offset }
      offset += group.bytes.count
    }
    return offset
  }
}

extension ArchiveImage {
  /// The bytes of the whole file.
  var data: Data { encoded().pieces.reduce(into: Data()) { $0 += $1 } }
}
