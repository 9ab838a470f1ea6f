import Foundation

/// Where a path leads: a folder, and a name in it.
///
/// Neither the file nor the folder need exist. What leads nowhere, a dangling link, is not taken for absent: a store
/// that took it so would put a new file where the user had set a link to the real one.
///
/// The path may lead elsewhere later: links are switched, folders are moved and replaced. So the folder is named as the path names it,
/// and whoever opens it follows the links that are on the way then. Only where the last component is a link itself, the path has to be
/// followed again each time.
struct FileLocation: Equatable, Sendable {
  /// The path of the folder, with the links that the caller's path has; without links where the file is behind one.
  let folder: String
  let name: String
  /// The name of the file beside it that writers lock.
  let lockName: String
  /// Whether the path itself is a symbolic link to the file.
  let isBehindLink: Bool
  /// The path without symbolic links.
  let realPath: String

  /// Whether it is in a container that several apps share, as Apple's mobile systems lay them out.
  var isInSharedContainer: Bool { realPath.contains("/Containers/Shared/AppGroup/") }

  init(following url: URL, _ system: any SystemCalls) throws(GlobalDataError) {
    let path = url.path
    // A C string ends at the first NUL: the rest would be cut off, and another file be meant.
    guard url.isFileURL, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { throw .notAPath(url) }
    let absolute: String?
    let kind: FileStatus.Kind?
    do {
      absolute = try FileLocation.follow(path, system)
      kind = try FileLocation.kind(of: path, system)
    } catch {
      throw .cannotResolve(error, url)
    }
    guard let absolute else { throw .danglingLink(url) }
    realPath = absolute
    // As the file system spells it, so that all spellings have one lock.
    name = FileLocation.lastComponent(of: absolute)
    lockName = SideFileName(for: name).lock
    isBehindLink = kind == .link || [".", "..", ""].contains(FileLocation.lastComponent(of: path))
    folder = FileLocation.parent(of: isBehindLink ? absolute : path)
    guard !name.isEmpty else { throw .notRegular(.folder, url) }
  }

  /// The path of the file that writers lock.
  var lockPath: String { folder == "/" ? "/\(lockName)" : "\(folder)/\(lockName)" }

  /// Resolves the longest part of a path that exists, and appends the rest; `nil` for a link that leads nowhere.
  private static func follow(_ path: String, _ system: any SystemCalls) throws(SystemCallError) -> String? {
    var existing = path
    var missing: [String] = []
    while true {
      do {
        let real = try retryingInterruptions(system.realPath(existing))
        return missing.reversed().reduce(real, appending)
      } catch {
        guard error.isAbsent, existing != "/" else { throw error }
      }
      if let kind = try kind(of: existing, system) {
        // There is a name, and yet it leads to nothing. If it is no link, somebody made it just now.
        if kind == .link { return nil }
        continue
      }
      missing.append(lastComponent(of: existing))
      existing = parent(of: existing)
    }
  }

  /// Appends a component that does not exist, and so has no links, to a path without links: dots are taken by their letters.
  private static func appending(_ path: String, _ component: String) -> String {
    switch component {
    case "", ".": path
    case "..": parent(of: path)
    default: path == "/" ? "/" + component : path + "/" + component
    }
  }

  /// What is at a path, or `nil` if nothing is.
  private static func kind(of path: String, _ system: any SystemCalls) throws(SystemCallError) -> FileStatus.Kind? {
    do {
      return try retryingInterruptions(system.status(ofPath: path)).kind
    } catch {
      guard error.isAbsent else { throw error }
      return nil
    }
  }

  /// The folder part of an absolute path.
  static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }
}
