public import FoundationCore
import FoundationForms

/// A ``GlobalData/Location``, resolved to the URL of a file.
enum StoreLocation: Sendable {
  case file(URL)
  case memory
  /// A location with an invalid name or app group. Every use of the store throws the error.
  case invalid(GlobalDataError)

  var url: URL? {
    if case .file(let url) = self { url } else { nil }
  }

  var isMemory: Bool { if case .memory = self { true } else { false } }

  init(_ location: GlobalData.Location) {
    switch location {
    case .file(let url): self = .file(url)
    case .named(let name): self = .store(name, in: StoreLocation.defaultFolder)
    case .appGroup(let group, let name):
      guard StoreLocation.isFileName(group), let folder = StoreLocation.folder(ofAppGroup: group) else {
        self = .invalid(
          GlobalDataError(
            .notAFile, "there is no container for the app group \(group.quoted)",
            advice: "Add the group to the entitlements of each program that uses it."))
        return
      }
      self = .store(name, in: folder)
    case .memory: self = .memory
    }
  }

  /// The file extension of named stores and the default store.
  private static let fileExtension = "archive"

  private static func store(_ name: String, in folder: URL) -> StoreLocation {
    guard isFileName(name) else {
      return .invalid(
        GlobalDataError(
          .notAFile, "\(name.quoted) cannot be the name of a store",
          advice: "Use 1 to 200 bytes of text without a slash and without a dot at the start."))
    }
    return .file(folder.appendingPathComponent("\(name).\(fileExtension)", isDirectory: false))
  }

  private static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
      && name.utf8.first != UInt8(ascii: ".") && name.utf8.count <= 200
  }

  /// The app's own folder in the platform's folder for app data.
  private static var defaultFolder: URL {
    dataFolder(environment: ProcessInfo.processInfo.environment)
      .appendingPathComponent(applicationName, isDirectory: true)
  }

  /// The bundle identifier or, without one, the name of the process, which is less likely to be unique.
  private static var applicationName: String {
    bundleIdentifier ?? ProcessInfo.processInfo.processName
  }
}

extension GlobalData {
  /// The location of a store's file.
  public enum Location: Hashable, Sendable {
    /// A file at the given URL.
    case file(URL)
    /// `NAME.archive` in the platform's folder for app data. See ``shared``.
    case named(String)
    /// `NAME.archive` in the container of an app group.
    case appGroup(String, named: String = "GlobalData")
    /// No file. The contents exist only as long as the store.
    case memory
  }
}

// The platform determines where an app may write. tvOS has no lasting storage except Caches, Linux follows the XDG Base
// Directory Specification, and the other Apple platforms have Application Support.
#if os(tvOS)
extension StoreLocation {
  static func dataFolder(environment: [String: String]) -> URL { URL.cachesDirectory }

  private static func folder(ofAppGroup group: String) -> URL? {
    FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?
      .appendingPathComponent("Library/Caches", isDirectory: true)
  }
}
#elseif canImport(Darwin)
extension StoreLocation {
  static func dataFolder(environment: [String: String]) -> URL { URL.applicationSupportDirectory }

  /// Returns the group's folder, or `nil` if the app's entitlements do not include the group. macOS always returns one.
  private static func folder(ofAppGroup group: String) -> URL? {
    FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?
      .appendingPathComponent("Library/Application Support", isDirectory: true)
  }
}
#else
extension StoreLocation {
  /// Returns `$XDG_DATA_HOME` if it is an absolute path. Otherwise, returns `.local/share` in `$HOME` if that is an
  /// absolute path, or else in the home folder of the current user.
  static func dataFolder(environment: [String: String]) -> URL {
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    var home = FileManager.default.homeDirectoryForCurrentUser
    if let path = environment["HOME"], path.hasPrefix("/") { home = URL(fileURLWithPath: path, isDirectory: true) }
    return home.appendingPathComponent(".local/share", isDirectory: true)
  }

  /// Returns the group's folder. All programs of a user may belong to a group.
  private static func folder(ofAppGroup group: String) -> URL? {
    dataFolder(environment: ProcessInfo.processInfo.environment).appendingPathComponent(group, isDirectory: true)
  }
}
#endif
