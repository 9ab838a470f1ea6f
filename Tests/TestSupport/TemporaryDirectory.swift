import CodingSupport
public import Foundation

/// A new folder, which the first access creates, and which is removed with its contents after the test. It is a property
/// of a suite, because each test, and each of its arguments, has its own instance of the suite. A function that another
/// property keeps must capture the URL, not the suite, which would never be released.
@propertyWrapper
public final class TemporaryFolder: Sendable {
  private let url = Locked<URL?>(nil)

  public init() { keepStandardErrorQuiet() }

  public var wrappedValue: URL {
    url.withLock { url in
      if let url { return url }
      do {
        let folder = try makeTemporaryDirectory()
        url = folder
        return folder
      } catch {
        fatalError("a test has no folder: \(error)")
      }
    }
  }

  deinit {
    if let folder = url.withLock({ $0 }) { removeTemporaryDirectory(folder) }
  }
}

/// Calls a function with a new folder, which is removed afterward with its contents. For a test that
/// needs several folders, or whose suite needs none otherwise; see ``TemporaryFolder``.
///
/// If a closure only throws in `#expect(try …)`, write `throws` before its `in`, because the compiler does not examine
/// the macro.
///
/// - Parameters:
///   - isolation: The actor that the function runs on, which is the caller's.
///   - body: The function, which receives the folder's URL.
/// - Returns: The result of the function.
/// - Throws: The error of the function, or the reason why the folder cannot be created.
public func withTemporaryDirectory<R: Sendable>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> R
) async throws -> R {
  keepStandardErrorQuiet()
  let folder = try makeTemporaryDirectory()
  defer { removeTemporaryDirectory(folder) }
  return try await body(folder)
}

/// Keeps warnings and diagnostics out of the log: tests cause thousands of them, and would hide a failure.
/// `SHOW_DIAGNOSTICS=1` in the environment shows them.
public func keepStandardErrorQuiet() {
  if ProcessInfo.processInfo.environment["SHOW_DIAGNOSTICS"] != "1" { SystemLog.silence() }
}

/// Creates a folder that no other test, and no other run of the tests, uses.
private func makeTemporaryDirectory() throws -> URL {
  let parent = URL(fileURLWithPath: try resolved(FileManager.default.temporaryDirectory.path), isDirectory: true)
  let folder = parent.appending(path: "GlobalDataTests-\(UUID().uuidString)", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

/// Returns a path without symbolic links, like the paths of a store's files.
///
/// On Apple's systems, the path of the temporary folder contains links to a folder in `/private`. Foundation resolves
/// them but then removes `/private`, and no store has such a path.
private func resolved(_ path: String) throws -> String {
  guard let resolved = realpath(path, nil) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  defer { free(resolved) }
  return String(cString: resolved)
}

private func removeTemporaryDirectory(_ folder: URL) {
  do {
    try FileManager.default.removeItem(at: folder)
  } catch CocoaError.fileNoSuchFile {
    // The test has removed it.
  } catch {
    print("warning: the folder of a test remains: \(folder.path): \(error)")
  }
}

extension URL {
  /// Returns the names in a folder, sorted.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// Returns the URL of a file in a folder.
  public func file(_ name: String) -> URL {
    appending(path: name, directoryHint: .notDirectory)
  }
}

/// Returns the names in a folder, including hidden ones, without the empty lock files.
public func folderContents(_ folder: URL) throws -> [String] {
  try folder.names().filter { !$0.hasSuffix(".lock") }
}
