import Foundation

@testable import GlobalData

/// A small archive of format version 1, byte for byte.
///
/// Made with Python (cbor2 and xxhash), independently of this package. It is never changed: what it holds must be
/// readable for ever.
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
    ("array of 6", [0x86]),
    ("text of 10 bytes", [0x6a]),
    ("GlobalData", [0x47, 0x6c, 0x6f, 0x62, 0x61, 0x6c, 0x44, 0x61, 0x74, 0x61]),
    ("format version 1", [0x01]),
    ("tag 37, UUID; 16 bytes", [0xd8, 0x25, 0x50]),
    (
      "the UUID",
      [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]
    ),
    ("generation 42", [0x18, 0x2a]),
    ("map of 2 entries", [0xa2]),

    ("text of 3 bytes: a key", [0x63]),
    ("car", [0x63, 0x61, 0x72]),
    ("array of 3", [0x83]),
    ("length of the value: 5", [0x05]),
    ("8 bytes: checksum of key and value", [0x48]),
    ("XXH64 of 63636172 64424d5721", [0x71, 0xb2, 0xb6, 0x5d, 0x22, 0x79, 0x4a, 0xe9]),
    ("the value: text BMW!", [0x64, 0x42, 0x4d, 0x57, 0x21]),

    ("text of 2 bytes: a key", [0x62]),
    ("é, precomposed", [0xc3, 0xa9]),
    ("array of 3", [0x83]),
    ("length of the value: 12", [0x0c]),
    ("8 bytes: checksum of key and value", [0x48]),
    ("XXH64 of 62c3a9 8301fb4004000000000000f6", [0x47, 0x99, 0xe7, 0x8a, 0xf7, 0xab, 0xe4, 0x1d]),
    ("the value: [1, 2.5, null]", [0x83, 0x01, 0xfb, 0x40, 0x04, 0, 0, 0, 0, 0, 0, 0xf6]),

    ("8 bytes: checksum of the whole", [0x48]),
    (
      "XXH64 of all bytes before the first entry and of both checksums",
      [0xdf, 0x41, 0x4a, 0x5c, 0xba, 0xda, 0x54, 0x79]
    ),
  ]

  static var data: Data { Data(groups.flatMap(\.bytes)) }

  static var image: ArchiveImage {
    ArchiveImage(
      identity: identity,
      generation: 42,
      entries: [StoredEntry(key: "car", value: car), StoredEntry(key: "\u{e9}", value: numbers)]
    )
  }

  /// The offset of the first byte of the *n*th group with a meaning that starts so.
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
  var data: Data { pieces().reduce(into: Data()) { $0.append($1) } }
}
