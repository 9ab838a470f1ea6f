/// A name in a folder, which a ``FolderWatch`` watches.
struct WatchedPlace: Equatable, Sendable {
  let folder: String
  /// The name to watch; `nil` for every name.
  let name: String?
}
