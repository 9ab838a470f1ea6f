import FoundationCore
import FoundationForms

/// The target of a path: a folder, and a name in it.
///
/// Neither the file nor the folder need exist. A dangling link does not count as an absent file: if it did, a store
/// would create a new file where the user had set a link to the real one.
///
/// The path may lead elsewhere later: links are switched, folders are moved and replaced. So `folder` keeps the links
/// of the path, and the system follows them whenever a program opens the folder. Only if the last component is itself a
/// link must the path be followed again each time.
final class FileLocation: Sendable {
  /// The path of the folder: without links if `isBehindLink` is true, otherwise with the links of the caller's path.
  let folder: String
  let name: String
  /// The names of the files that the store keeps next to its own.
  let sideNames: SideFileName
  let isBehindLink: Bool
  let realPath: String
  /// The real path, in which each nonexistent component has the spelling that represents all its spellings on the
  /// volume. All paths that lead to one file have the same folded path.
  let foldedPath: String

  /// Whether the file is in an app group's container, in the layout of Apple's mobile systems.
  var isInSharedContainer: Bool { realPath.contains("/Containers/Shared/AppGroup/") }

  init(following url: URL, _ system: any SystemCalls) throws(GlobalDataError) {
    let path = url.path
    // A C string ends at the first NUL. The rest of the path would be cut off, and the path would mean another file.
    guard url.isFileURL, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { throw .notAPath(url) }
    let followed: ResolvedPath?
    let kind: FileStatus.Kind?
    do {
      followed = try FileLocation.follow(path, system)
      kind = try FileLocation.kind(of: path, system)
    } catch {
      throw .cannotResolve(error, url)
    }
    guard let followed else { throw .danglingLink(url) }
    let absolute = followed.missing.reduce(followed.existing, FileLocation.appending)
    let comparison = system.nameComparison(atPath: followed.existing)
    realPath = absolute
    foldedPath = followed.missing.map(comparison.folded).reduce(followed.existing, FileLocation.appending)
    // The file system's spelling, if the file exists. A new file gets the spelling of the path that creates it.
    name = FileLocation.lastComponent(of: absolute)
    sideNames = SideFileName(for: name, comparison)
    isBehindLink = kind == .link || [".", "..", ""].contains(FileLocation.lastComponent(of: path))
    folder = FileLocation.parent(of: isBehindLink ? absolute : path)
    guard !name.isEmpty else { throw .notRegular(.folder, url) }
  }

  var lockName: String { sideNames.lock }

  var lockPath: String { FileLocation.path(of: lockName, in: folder) }

  private struct ResolvedPath {
    /// The longest existing part of the path, as the system spells it, without links.
    var existing: String
    var missing: [String]
  }

  /// Resolves a path. Returns `nil` for a dangling link.
  private static func follow(_ path: String, _ system: any SystemCalls) throws(SystemCallError) -> ResolvedPath? {
    var existing = path
    var missing: [String] = []
    while true {
      do {
        return ResolvedPath(existing: try retryingInterruptions(system.realPath(existing)), missing: missing.reversed())
      } catch {
        guard error.isAbsent, existing != "/" else { throw error }
      }
      if let kind = try kind(of: existing, system) {
        // The name exists, and yet it leads to nothing. If it is not a link, it was created just now.
        if kind == .link { return nil }
        continue
      }
      missing.append(lastComponent(of: existing))
      existing = parent(of: existing)
    }
  }

  /// Appends a component that does not exist, and so is not a link; resolves `.` and `..` lexically.
  @inline(never)
  private static func appending(_ path: String, _ component: String) -> String {
    switch component {
    case "", ".": path
    case "..": parent(of: path)
    default: FileLocation.path(of: component, in: path)
    }
  }

  static func path(of name: String, in folder: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  private static func kind(of path: String, _ system: any SystemCalls) throws(SystemCallError) -> FileStatus.Kind? {
    try ifPresent(retryingInterruptions(system.status(ofPath: path)))?.kind
  }

  static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }
}

extension FileLocation: Equatable {
  static func == (one: FileLocation, other: FileLocation) -> Bool {
    one === other
      || one.folder == other.folder && one.name == other.name && one.sideNames == other.sideNames
        && one.isBehindLink == other.isBehindLink && one.realPath == other.realPath
        && one.foldedPath == other.foldedPath
  }
}

extension NameComparison {
  /// Returns the spelling that represents all spellings of one name on the volume.
  ///
  /// Some volumes fold more ("ß" and "ss"). Such names stay separate here: two names share contents only if they
  /// certainly mean one file.
  func folded(_ name: String) -> String {
    switch self {
    case .bytes: name
    case .normalized: decomposed(name)
    case .caseless: decomposed(name).lowercased()
    }
  }
}
