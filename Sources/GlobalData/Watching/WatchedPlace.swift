/// A name in a folder, which a ``FolderWatch`` tells about.
struct WatchedPlace: Equatable, Sendable {
  let folder: String
  /// `nil` for every name.
  let name: String?
}
