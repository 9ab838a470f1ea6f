import Foundation
import GlobalData
import TestSupport

/// Archives that Python's bpylist2 wrote: the committed ones, and those that `.ci/run` has written anew.
enum ArchiveFixtures {
  /// The folders that hold the archives, each with the same names in it.
  static let folders: [URL] =
    [Bundle.module.fixtures.appending(path: "Importing", directoryHint: .isDirectory)]
    + (ProcessInfo.processInfo.environment["IMPORT_ARCHIVES"].map { [URL(fileURLWithPath: $0)] } ?? [])

  /// The places of an archive in both formats.
  static func urls(of name: String) -> [URL] {
    folders.flatMap { [$0.appending(path: "\(name).plist"), $0.appending(path: "\(name).xml.plist")] }
  }

  static let names = [
    "garage", "root-dictionary", "foundation", "superclass", "several", "cyclic", "stranger",
  ]

  /// The archives of random values.
  static func randomArchives() throws -> [URL] {
    try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.lastPathComponent.hasPrefix("random-") && $0.pathExtension == "plist" }
    }
  }

  /// A store with a registry of its own, so that tests do not meet.
  static func store() -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    return .inMemory(configuration: configuration)
  }
}
