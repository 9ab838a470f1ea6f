public import Foundation

/// A folder of files that were written once and are never changed: what they hold must be readable for ever.
///
/// A new fixture is added by running its test with `ADD_FIXTURES=1` in the environment, which writes the files that are
/// missing beside the sources. A file that is there is never written again.
public struct FixtureFolder: Sendable {
  private let bundled: URL
  private let source: URL

  /// The folder of a test bundle, which was copied from beside a source file.
  public init(bundle: Bundle, sourceFolder: URL) {
    bundled = bundle.fixtures
    source = sourceFolder
  }

  /// The place of a fixture. Where it is missing and new ones are asked for, it is made.
  public func url(of name: String, adding contents: () async throws -> Data) async throws -> URL {
    let url = bundled.appending(path: name)
    if FileManager.default.fileExists(atPath: url.path) { return url }
    let new = source.appending(path: name)
    if ProcessInfo.processInfo.environment["ADD_FIXTURES"] == "1", !FileManager.default.fileExists(atPath: new.path) {
      let data = try await contents()
      do {
        try data.write(to: new, options: .withoutOverwriting)
      } catch CocoaError.fileWriteFileExists {
        // Another test of the same fixture was faster.
      }
    }
    return new
  }

  /// The names of all fixtures.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bundled.path).sorted()
  }
}

extension Bundle {
  /// The folder of the fixtures in a test bundle: among its resources, which are in a folder of their own where Xcode built it.
  public var fixtures: URL { (resourceURL ?? bundleURL).appending(path: "Fixtures", directoryHint: .isDirectory) }
}
