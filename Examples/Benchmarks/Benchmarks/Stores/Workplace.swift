import Foundation

/// A folder on the measured disk, which is removed at the end.
struct Workplace {
  let folder: URL

  /// Makes the folder.
  ///
  /// - Parameter parent: The folder to make it in; by default, the system's folder for temporary files. If that is in
  ///   memory, syncing costs nothing and the tables are meaningless: use a folder on a disk.
  /// - Throws: An error if the folder cannot be made.
  init(in parent: String?) throws {
    let parent = parent.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent("benchmarks-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Keep the files of UserDefaults out of the user's own folder.
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

  /// Calls a function with a store for each column, then closes and removes the stores.
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
    // Sync, so that the entries are not sent to the disk while something else is timed.
    sync()
    try await body(stores)
    for (_, store) in stores { try await store.close() }
    for folder in folders { try FileManager.default.removeItem(at: folder) }
  }
}
