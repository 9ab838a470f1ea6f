import CodingSupport
public import Foundation

/// Calls a function with a fresh folder, which is removed afterwards with everything in it.
///
/// A closure that throws in nothing but `#expect(try …)` needs a `throws` before its `in`: the compiler does not look into
/// the macro.
///
/// - Parameters:
///   - isolation: The actor that the function runs on, which is the caller's.
///   - body: The function; it gets the folder's URL.
/// - Returns: What the function returned.
/// - Throws: What the function threw, or why the folder could not be made.
public func withTemporaryDirectory<R: Sendable>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> R
) async throws -> R {
  keepStandardErrorQuiet()
  let folder = try makeTemporaryDirectory()
  defer { removeTemporaryDirectory(folder) }
  return try await body(folder)
}

/// Keeps warnings and diagnostics, which tests provoke by the thousand, from the log: a failure would not be found among
/// them. `SHOW_DIAGNOSTICS=1` in the environment shows them.
public func keepStandardErrorQuiet() {
  if ProcessInfo.processInfo.environment["SHOW_DIAGNOSTICS"] != "1" { SystemLog.silence() }
}

/// Makes a folder that no other test, and no other run of the tests, uses.
private func makeTemporaryDirectory() throws -> URL {
  let parent = URL(fileURLWithPath: try resolved(FileManager.default.temporaryDirectory.path), isDirectory: true)
  let folder = parent.appending(path: "GlobalDataTests-\(UUID().uuidString)", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

/// Returns a path without symbolic links, as a store gives the paths of its files.
///
/// The system's path to its temporary folder has links on Apple's systems, to a folder in `/private`. Foundation resolves them and
/// drops `/private` again, which leaves a path that no store gives.
private func resolved(_ path: String) throws -> String {
  guard let resolved = realpath(path, nil) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  defer { free(resolved) }
  return String(cString: resolved)
}

private func removeTemporaryDirectory(_ folder: URL) {
  do {
    try FileManager.default.removeItem(at: folder)
  } catch CocoaError.fileNoSuchFile {
    // The test removed it.
  } catch {
    print("warning: the folder of a test stays behind: \(folder.path): \(error)")
  }
}
