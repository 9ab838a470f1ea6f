import Foundation
import GlobalData

/// Where imported values come from.
struct ImportSource: Sendable {
  /// The key of the only entry of a source whose outermost value has no keys.
  static let rootKey = "root"

  /// What the source is called in messages.
  let name: String
  /// Its file, where there is one.
  let url: URL?
  private let data: Data

  /// A file, which is read when it is needed.
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

  /// All bytes of the source.
  ///
  /// - Throws: `GlobalDataError` when there is no file, when it is larger than the limit, or cannot be read.
  func read(_ configuration: GlobalData.Configuration) throws -> Data {
    guard let url else { return data }
    guard let bytes = try GlobalData.bytes(ofFileAt: url, limit: configuration.limits.maximumFileSize) else {
      throw GlobalDataError.nothingToImport(url)
    }
    return bytes
  }
}
