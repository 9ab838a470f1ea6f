import Foundation

// One engine for one file: two that cached the same file would each overwrite what the other has written.

extension StoreEngine {
  private struct SharedEngine {
    weak var engine: StoreEngine?
    /// The path as the store was given it.
    let url: URL
    /// Where it led when that was asked last.
    var realPath: String
  }

  private static let engines = Locked<[SharedEngine]>([])

  /// The engine of a location: the one that is in use for the same file, also through a link, or a new one.
  ///
  /// The first store at a place decides how its file is written.
  static func engine(for location: StoreLocation, _ configuration: GlobalData.Configuration) -> StoreEngine {
    guard let url = location.url else { return StoreEngine(location, configuration) }
    let path = realPath(of: url)
    return engines.withLock { engines in
      engines.removeAll { $0.engine == nil }
      // An engine follows its path, which may lead elsewhere than when the engine was made: links are switched.
      for index in engines.indices where engines[index].realPath == path {
        engines[index].realPath = realPath(of: engines[index].url)
      }
      if let engine = engines.first(where: { $0.realPath == path })?.engine { return engine }
      for index in engines.indices { engines[index].realPath = realPath(of: engines[index].url) }
      if let engine = engines.first(where: { $0.realPath == path })?.engine { return engine }
      // Another name of the same file, a hard link, shows only in the file itself.
      if let file = FileIdentity(path),
        let other = engines.first(where: { FileIdentity($0.realPath) == file })?.engine
      {
        return other
      }
      let engine = StoreEngine(location, configuration)
      engines.append(SharedEngine(engine: engine, url: url, realPath: path))
      return engine
    }
  }

  /// The path without symbolic links, whether there is a file or not.
  ///
  /// As the system spells it: Foundation spells some paths otherwise, on Apple's systems only once there is a file.
  private static func realPath(of url: URL) -> String {
    do {
      return try FileLocation(following: url.absoluteURL, POSIXSystemCalls()).realPath
    } catch {
      return url.absoluteURL.path  // Whatever keeps the path from being followed, its first use will tell.
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
