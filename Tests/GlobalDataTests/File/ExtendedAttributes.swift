import Foundation
import Testing

#if canImport(Darwin)

/// The extended attributes of files.
enum ExtendedAttributes {
  static func set(_ name: String, _ value: [UInt8], of url: URL) throws {
    try #require(setxattr(url.path, name, value, value.count, 0, 0) == 0)
  }

  static func get(_ name: String, of url: URL) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = getxattr(url.path, name, &bytes, bytes.count, 0, 0)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }
}

#else

import CLinux

/// The extended attributes of files.
enum ExtendedAttributes {
  static func set(_ name: String, _ value: [UInt8], of url: URL) throws {
    try #require(setxattr(url.path, name, value, value.count, 0) == 0)
  }

  static func get(_ name: String, of url: URL) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = getxattr(url.path, name, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }
}

#endif
