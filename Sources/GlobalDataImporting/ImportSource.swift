import Foundation
import GlobalData

/// A file or data to import.
struct ImportSource: Sendable {
  /// The key of the only entry of a source whose outermost value has no keys.
  static let rootKey = "root"

  let name: String
  let url: URL?
  private let data: Data

  /// Creates a source from a file, which is read later.
  init(_ url: URL) {
    name = url.path
    self.url = url
    data = Data()
  }

  init(_ name: String, _ data: Data = Data()) {
    self.name = name
    url = nil
    self.data = data
  }

  /// Returns all bytes of the source. Throws an error if there is no file, if it is larger than the limit, or if it is
  /// an archive of this library or of `NSArchiver`.
  func read(_ configuration: GlobalData.Configuration) throws -> Data {
    var data = data
    if let url {
      guard let bytes = try GlobalData.bytes(ofFileAt: url, limit: configuration.limits.maximumFileSize) else {
        throw GlobalDataError.nothingToImport(url)
      }
      data = bytes
    }
    // The mark of either byte order follows its length.
    guard !["\u{b}streamtyped", "\u{b}typedstream"].contains(where: { data.dropFirst().starts(with: $0.utf8) }) else {
      throw ImportFailure(
        message: "it is an archive of NSArchiver, whose format is not supported",
        advice: "Read it with NSUnarchiver on macOS and write it again with NSKeyedArchiver.")
    }
    guard !GlobalData.isStore(data) else {
      throw ImportFailure(
        message: "it is an archive of GlobalData",
        advice: "Use restore to take over all its values, or open it as a store and copy some of them.")
    }
    return data
  }
}
