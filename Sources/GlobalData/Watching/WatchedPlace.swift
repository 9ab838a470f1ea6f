/// A name in a folder, which a ``FolderWatch`` watches.
struct WatchedPlace: Sendable {
  let folder: String
  /// The name to watch; `nil` for every name.
  let name: String?
}
