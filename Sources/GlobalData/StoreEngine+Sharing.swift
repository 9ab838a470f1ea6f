import Foundation

// One engine for one file: two that cached the same file would each overwrite what the other has written.

extension StoreEngine {
  private struct WeakEngine {
    weak var engine: StoreEngine?
  }

  private static let engines = Locked<[String: WeakEngine]>([:])

  /// The engine of a location: the one that is in use for the same file, also through a link, or a new one.
  ///
  /// The first store at a place decides how its file is written.
  static func engine(for location: StoreLocation, _ configuration: GlobalData.Configuration) -> StoreEngine {
    guard let url = location.url else { return StoreEngine(location, configuration) }
    let path = path(of: url)
    return engines.withLock { engines in
      if let engine = engines[path]?.engine { return engine }
      engines = engines.filter { $0.value.engine != nil }
      // Another name of the same file, a hard link, shows only in the file itself.
      if let file = FileIdentity(path),
        let other = engines.first(where: { FileIdentity($0.key) == file })?.value.engine
      {
        return other
      }
      let engine = StoreEngine(location, configuration)
      engines[path] = WeakEngine(engine: engine)
      return engine
    }
  }

  /// The path without symbolic links, whether there is a file or not.
  private static func path(of url: URL) -> String {
    do {
      let location = try FileLocation(following: url.absoluteURL, POSIXSystemCalls())
      // What does not exist yet has no links, so that dots in it can be taken by their letters.
      return URL(fileURLWithPath: location.folder + "/" + location.name).standardizedFileURL.path
    } catch {
      return url.standardizedFileURL.path  // Whatever keeps the path from being followed, its first use will tell.
    }
  }

  /// What tells one file from another, whatever their names.
  private struct FileIdentity: Equatable {
    var device: UInt64
    var inode: UInt64

    /// `nil` where there is no file.
    init?(_ path: String) {
      let status: FileStatus
      do {
        status = try POSIXSystemCalls().status(ofPath: path)
      } catch {
        return nil  // Whatever keeps a file from being asked about, its first use will tell.
      }
      guard status.linkCount > 1 else { return nil }  // A file with one name has been found by its path.
      (device, inode) = (status.device, status.inode)
    }
  }
}
