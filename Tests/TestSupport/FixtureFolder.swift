public import Foundation

/// A folder of files that never change: their contents must stay readable forever.
///
/// To add a fixture, run its test with `ADD_FIXTURES=1` in the environment. This writes missing files next to the
/// sources. An existing file is never written again.
public struct FixtureFolder: Sendable {
  private let bundled: URL
  private let source: URL

  /// The folder in a test bundle, which was copied from the folder next to a source file.
  public init(bundle: Bundle, sourceFolder: URL) {
    bundled = bundle.fixtures
    source = sourceFolder
  }

  /// Returns the URL of a fixture. Creates the fixture if it is missing and new ones were requested.
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
  /// The folder of the fixtures in a test bundle: among its resources, which are in a folder of their own if Xcode
  /// built the bundle.
  public var fixtures: URL { (resourceURL ?? bundleURL).appending(path: "Fixtures", directoryHint: .isDirectory) }
}
