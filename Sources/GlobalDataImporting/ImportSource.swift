import Foundation
import GlobalData

struct ImportSource: Sendable {
  /// The key of the only entry of a source whose outermost value has no keys.
  static let rootKey = "root"

  let name: String
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

  /// Returns all bytes of the source; throws when there is no file, or it is larger than the limit.
  func read(_ configuration: GlobalData.Configuration) throws -> Data {
    guard let url else { return data }
    guard let bytes = try GlobalData.bytes(ofFileAt: url, limit: configuration.limits.maximumFileSize) else {
      throw GlobalDataError.nothingToImport(url)
    }
    return bytes
  }
}
