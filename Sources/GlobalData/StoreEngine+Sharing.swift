import Foundation

// One engine for one file: two that cached the same file would each overwrite what the other has written.

extension StoreEngine {
  private struct SharedEngine {
    weak var engine: StoreEngine?
    /// The path as the store was given it.
    let url: URL
    let system: any SystemCalls
    /// Where it led when that was asked last.
    var place: Place

    mutating func followAgain() { place = Place(url, system) }
  }

  /// Where a path leads.
  private struct Place: Equatable {
    /// The path without symbolic links, whether there is a file or not.
    ///
    /// As the system spells it: Foundation spells some paths otherwise, on Apple's systems only once there is a file.
    let path: String
    private let foldedPath: String

    init(_ url: URL, _ system: any SystemCalls) {
      do {
        let location = try FileLocation(following: url.absoluteURL, system)
        path = location.realPath
        foldedPath = location.foldedPath
      } catch {
        // Whatever keeps the path from being followed, its first use will tell.
        path = url.absoluteURL.path
        foldedPath = path
      }
    }

    // By bytes: to Swift two texts are equal that are two names to some systems.
    static func == (one: Place, other: Place) -> Bool { one.foldedPath.utf8.elementsEqual(other.foldedPath.utf8) }
  }

  private static let engines = Locked<[SharedEngine]>([])

  /// The engine of a location: the one that is in use for the same file, also through a link, or a new one.
  ///
  /// The first store at a place decides how its file is written.
  static func engine(
    for location: StoreLocation, _ configuration: GlobalData.Configuration,
    system: any SystemCalls = POSIXSystemCalls()
  ) -> StoreEngine {
    guard let url = location.url else { return StoreEngine(location, configuration) }
    let place = Place(url, system)
    return engines.withLock { engines in
      engines.removeAll { $0.engine == nil }
      // An engine follows its path, which may lead elsewhere than when the engine was made: links are switched.
      for index in engines.indices where engines[index].place == place { engines[index].followAgain() }
      if let engine = engines.first(where: { $0.place == place })?.engine { return engine }
      for index in engines.indices { engines[index].followAgain() }
      // Where the file has come into being before or after the engines were asked, it is spelled otherwise since.
      let newPlace = engines.isEmpty ? place : Place(url, system)
      if let engine = engines.first(where: { $0.place == place || $0.place == newPlace })?.engine { return engine }
      // Another name of the same file, a hard link, shows only in the file itself.
      if let file = FileIdentity(newPlace.path),
        let other = engines.first(where: { FileIdentity($0.place.path) == file })?.engine
      {
        return other
      }
      let engine = StoreEngine(location, configuration, system: system)
      engines.append(SharedEngine(engine: engine, url: url, system: system, place: newPlace))
      return engine
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
