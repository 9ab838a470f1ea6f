import FoundationCore

// One engine for one file: two that cached the same file would each overwrite what the other has written.

extension StoreEngine {
  private struct SharedEngine {
    weak var engine: StoreEngine?
    let url: URL
    let system: any SystemCalls
    /// Where it led when it was last followed.
    var destination: Destination

    mutating func followAgain() { destination = Destination(url, system) }
  }

  private struct Destination: Equatable {
    /// `nil` where the path cannot be followed. The first use of the store reports why.
    let location: FileLocation?
    /// The path without symbolic links, as the system spells it, even if there is no file: Foundation spells some paths
    /// otherwise, on Apple's systems only once there is a file.
    let path: String
    private let foldedPath: String

    init(_ url: URL, _ system: any SystemCalls) {
      do {
        let location = try FileLocation(following: url.absoluteURL, system)
        (path, foldedPath) = (location.realPath, location.foldedPath)
        self.location = location
      } catch {
        (path, foldedPath) = (url.absoluteURL.path, url.absoluteURL.path)
        location = nil
      }
    }

    // By bytes: to Swift two texts are equal that are two names to some systems.
    static func == (one: Destination, other: Destination) -> Bool {
      one.foldedPath.utf8.elementsEqual(other.foldedPath.utf8)
    }
  }

  private static let engines = Locked<[SharedEngine]>([])

  /// Returns the engine in use for the same file, also through a link, or a new one. The first store at a path decides
  /// how its file is written.
  static func engine(
    for location: StoreLocation, _ configuration: GlobalData.Configuration, system: any SystemCalls = POSIXSystemCalls()
  ) -> StoreEngine {
    guard let url = location.url else { return StoreEngine(location, configuration) }
    let destination = Destination(url, system)
    return engines.withLock { engines in
      engines.removeAll { $0.engine == nil }
      // An engine follows its path, which may lead elsewhere than when the engine was made: links are switched.
      for index in engines.indices where engines[index].destination == destination { engines[index].followAgain() }
      if let engine = engines.first(where: { $0.destination == destination })?.engine { return engine }
      for index in engines.indices { engines[index].followAgain() }
      // Where the file has come into being before or after the engines were asked, it is spelled otherwise since.
      let newDestination = engines.isEmpty ? destination : Destination(url, system)
      if let engine = engines.first(where: { $0.destination == destination || $0.destination == newDestination })?
        .engine
      {
        return engine
      }
      // Another name of the same file, a hard link, shows only in the file itself.
      if !engines.isEmpty, let file = identityOfLinked(newDestination.path, system),
        let other = engines.first(where: { identityOfLinked($0.destination.path, system) == file })?.engine
      {
        return other
      }
      let engine = StoreEngine(location, configuration, system: system, followed: newDestination.location)
      engines.append(SharedEngine(engine: engine, url: url, system: system, destination: newDestination))
      return engine
    }
  }

  /// Returns the identity of a file with several names, else `nil`: a file with one name was found by its path.
  private static func identityOfLinked(_ path: String, _ system: any SystemCalls) -> FileIdentity? {
    do {
      let status = try system.status(ofPath: path)
      return status.linkCount > 1 ? status.identity : nil
    } catch {
      return nil  // The first use of the store reports why the file cannot be examined.
    }
  }
}
