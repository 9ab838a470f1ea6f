/// A name in a folder, which a ``FolderWatch`` watches.
struct WatchedPath: Sendable {
  let folder: String
  /// The name to watch; `nil` for every name.
  let name: String?
}
