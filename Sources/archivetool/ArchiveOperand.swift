import Foundation
import GlobalData

/// The file that a command works on.
struct ArchiveOperand {
  let url: URL

  init(_ path: String) {
    url = URL(fileURLWithPath: path)
  }

  /// The store in a file that must exist.
  ///
  /// A store takes an absent file for an empty one; whoever names a file on a command line means one that is there.
  func existingStore() throws -> GlobalData {
    guard exists else { throw MissingFile(path: url.path) }
    return store()
  }

  /// The store in a file that may be created.
  ///
  /// It refuses a damaged file: whoever looks into one from outside decides what is to be kept of it.
  func store() -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.recoveryPolicy = .refuse
    return GlobalData(at: url, configuration: configuration)
  }

  /// Whether there is something under the path, be it a link that leads nowhere.
  var exists: Bool {
    if FileManager.default.fileExists(atPath: url.path) { return true }
    // Only a link has a destination; that asking fails is the answer.
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) != nil
  }
}

/// There is no file where one must be.
struct MissingFile: Error, CustomStringConvertible {
  var path: String
  var description: String { "there is no file \(path)" }
}
