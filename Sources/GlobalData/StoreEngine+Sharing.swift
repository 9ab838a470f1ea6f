import FoundationCore

// Each file has one engine. If two engines cached the same file, each would overwrite the changes of the other.

extension StoreEngine {
  /// An engine in use, and the path with which it was created.
  private final class SharedEngine {
    weak var engine: StoreEngine?
    private let url: URL
    private let system: any SystemCalls
    /// The destination of the path when it was last followed.
    private(set) var destination: Destination
    // These are only needed once there is another store, and creating them takes several allocations.
    private lazy var path = url.absoluteURL.path
    private lazy var foldedName = destination.foldedName

    init(_ engine: StoreEngine, _ url: URL, _ system: any SystemCalls, _ destination: Destination) {
      self.engine = engine
      self.url = url
      self.system = system
      self.destination = destination
    }

    @inline(never)
    func followAgain() {
      destination = Destination(url, system)
      foldedName = destination.foldedName
    }

    /// Returns whether the path may lead now to a destination with a given last component, where a given file is, if
    /// any. Makes a single system call, while following a path takes one or more for each component.
    func mayLead(to name: String, _ file: FileIdentity?) -> Bool {
      guard destination.location?.isBehindLink == false else { return true }
      do {
        let status = try system.status(ofPath: path)
        return status.kind == .link || status.identity == file
      } catch {
        // A name that is not a link stays the last component, however the folders before it are replaced.
        return !error.isAbsent || foldedName == name
      }
    }
  }

  /// The file that a path leads to, whether or not it exists.
  private struct Destination: Equatable {
    /// The location, or `nil` if the path cannot be followed. The first use of the store reports the error.
    let location: FileLocation?
    /// The path without symbolic links, as the system spells it, even if there is no file. Foundation spells some paths
    /// differently, on Apple's systems only once there is a file.
    let path: String
    private let foldedPath: String
    /// The last component, in a spelling that represents all that any volume takes for the same.
    var foldedName: String { NameComparison.caseless.folded(FileLocation.lastComponent(of: path)) }

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
      if let engine = existing(in: engines, url, &newDestination, system) {
        if newDestination.location?.isBehindLink == true { engine.file?.recordLink() }
        return engine
      }
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
    // Only a few paths can have come to lead here. The others are not followed, because a program may open thousands of
    // stores.
    let (name, file) = (destination.foldedName, status(of: destination, system)?.identity)
    var others: [SharedEngine] = []
    for other in engines where other.mayLead(to: name, file) { others.append(other) }
    // Another file may have taken the place of the one that was compared.
    if status(of: destination, system)?.identity != file { others = engines }
    for other in others { other.followAgain() }
    // The spelling of the path has changed if the file was created just before or after the engines were asked.
    let earlier = destination
    destination = Destination(url, system)
    for other in others where other.destination == earlier || other.destination == destination {
      if let engine = other.engine { return engine }
    }
    // A hard link, which is another name of the same file, can be recognized only from the file itself. A file with one
    // name was found by its path.
    guard let linked = status(of: destination, system), linked.linkCount > 1 else { return nil }
    return others.first { status(of: $0.destination, system)?.identity == linked.identity }?.engine
  }

  private static func status(of destination: Destination, _ system: any SystemCalls) -> FileStatus? {
    try? system.status(ofPath: destination.path)  // The first use of the store reports why it cannot be examined.
  }
}
