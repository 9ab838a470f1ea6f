import Foundation

/// A folder on the disk that is measured, which is removed at the end.
struct Workplace {
  let folder: URL

  /// Makes the folder.
  ///
  /// - Parameter parent: Where to make it; by default the system's folder for temporary files. Where that is in memory,
  ///   syncing costs nothing and the tables tell nothing: give a folder on a disk then.
  /// - Throws: Why the folder cannot be made.
  init(in parent: String?) throws {
    let parent = parent.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent("benchmarks-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // What UserDefaults writes is not to end in the user's own folder.
    setenv("CFFIXED_USER_HOME", folder.path, 1)
    setenv("XDG_CONFIG_HOME", folder.path, 1)
  }

  func makeFolder() throws -> URL {
    let folder = folder.appendingPathComponent(UUID().uuidString, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  func remove() throws {
    try FileManager.default.removeItem(at: folder)
  }

  /// Calls a function with a store for each column, and closes and removes them.
  func withStores(
    of columns: [StoreColumn], count: Int, _ body: ([(column: StoreColumn, store: any StorePeer)]) async throws -> Void
  ) async throws {
    let entries = SampleEntry.all(count)
    var stores: [(column: StoreColumn, store: any StorePeer)] = []
    var folders: [URL] = []
    for column in columns where count <= column.largest {
      let folder = try makeFolder()
      folders.append(folder)
      stores.append((column, try await column.make(folder, entries)))
    }
    // What was just filled is not to be sent to the medium while something else is timed.
    sync()
    try await body(stores)
    for (_, store) in stores { try await store.close() }
    for folder in folders { try FileManager.default.removeItem(at: folder) }
  }
}
