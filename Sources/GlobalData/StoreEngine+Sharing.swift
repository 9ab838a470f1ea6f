import FoundationCore

// Each file has one engine. If two engines cached the same file, each would overwrite the changes of the other.

extension StoreEngine {
  private final class SharedEngine {
    weak var engine: StoreEngine?
    private let url: URL
    private let system: any SystemCalls
    /// The destination of the path when it was last followed.
    private(set) var destination: Destination

    init(_ engine: StoreEngine, _ url: URL, _ system: any SystemCalls, _ destination: Destination) {
      self.engine = engine
      self.url = url
      self.system = system
      self.destination = destination
    }

    @inline(never)
    func followAgain() { destination = Destination(url, system) }
  }

  private struct Destination: Equatable {
    /// The location, or `nil` if the path cannot be followed. The first use of the store reports the error.
    let location: FileLocation?
    /// The path without symbolic links, as the system spells it, even if there is no file. Foundation spells some paths
    /// differently, on Apple's systems only once there is a file.
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

    // The comparison is by bytes, because strings that are equal in Swift can be two different names on some systems.
    static func == (one: Destination, other: Destination) -> Bool {
      ExactText(one.foldedPath) == ExactText(other.foldedPath)
    }
  }

  private static let engines = Locked<[SharedEngine]>([])

  /// Returns the engine in use for the same file, even through a link, or a new engine. The first store at a path
  /// decides how its file is written. This method is `dynamic` for the same reason as the initializer.
  dynamic static func engine(
    for location: StoreLocation, _ configuration: GlobalData.Configuration, system: any SystemCalls = POSIXSystemCalls()
  ) -> StoreEngine {
    guard let url = location.url else { return StoreEngine(location, configuration) }
    let destination = Destination(url, system)
    return engines.withLock { engines in
      engines.removeAll { $0.engine == nil }
      var newDestination = destination
      if let engine = existing(in: engines, url, &newDestination, system) { return engine }
      let engine = StoreEngine(location, configuration, system: system, followed: newDestination.location)
      engines.append(SharedEngine(engine, url, system, newDestination))
      return engine
    }
  }

  /// Returns the engine whose path leads to a destination. If other engines are in use, the destination is followed
  /// again.
  @inline(never)
  private static func existing(
    in engines: [SharedEngine], _ url: URL, _ destination: inout Destination, _ system: any SystemCalls
  ) -> StoreEngine? {
    guard !engines.isEmpty else { return nil }
    // Links can be switched, so the path of an engine may now lead elsewhere than when the engine was created.
    for other in engines where other.destination == destination { other.followAgain() }
    if let engine = engines.first(where: { $0.destination == destination })?.engine { return engine }
    for other in engines { other.followAgain() }
    // The spelling of the path has changed if the file was created just before or after the engines were asked.
    let earlier = destination
    destination = Destination(url, system)
    for other in engines where other.destination == earlier || other.destination == destination {
      if let engine = other.engine { return engine }
    }
    // A hard link, which is another name of the same file, can be recognized only from the file itself.
    guard let file = identityOfLinked(destination.path, system) else { return nil }
    return engines.first { identityOfLinked($0.destination.path, system) == file }?.engine
  }

  /// Returns the identity of a file with several names; otherwise `nil`, because a file with one name was found by its
  /// path.
  private static func identityOfLinked(_ path: String, _ system: any SystemCalls) -> FileIdentity? {
    do {
      let status = try system.status(ofPath: path)
      return status.linkCount > 1 ? status.identity : nil
    } catch {
      return nil  // The first use of the store reports why the file cannot be examined.
    }
  }
}
