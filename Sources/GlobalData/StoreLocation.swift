import Foundation

/// Where a store keeps its file.
enum StoreLocation: Sendable {
  case file(URL)
  case memory
  /// A name that cannot be a file's; every use of the store throws the error.
  case invalid(GlobalDataError)

  var url: URL? {
    if case .file(let url) = self { url } else { nil }
  }

  /// The extension of the files of named stores and of the default store.
  static let fileExtension = "archive"

  /// The file of a named store in the default folder.
  static func named(_ name: String) -> StoreLocation {
    let isFileName = !name.isEmpty && !name.contains("/") && !name.contains("\0") && !name.hasPrefix(".")
    guard isFileName, name.utf8.count <= 200 else {
      return .invalid(
        GlobalDataError(
          .notAFile, "\"\(name)\" cannot be the name of a store",
          advice: "Use 1 to 200 bytes of text without a slash and without a dot at the start."))
    }
    return .file(defaultFolder.appendingPathComponent("\(name).\(fileExtension)", isDirectory: false))
  }

  /// The folder of the default store, made of the platform's place for an app's data and the app's own name.
  static var defaultFolder: URL {
    dataFolder(environment: ProcessInfo.processInfo.environment)
      .appendingPathComponent(applicationName, isDirectory: true)
  }

  /// The bundle's identifier where there is a bundle, since names are shared more easily; else the process's name.
  private static var applicationName: String {
    Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  }
}

// The platform decides where an app may write: tvOS has no lasting place but Caches, Linux follows the XDG base
// directory specification, and the other systems of Apple have Application Support.
#if os(tvOS)
extension StoreLocation {
  static func dataFolder(environment: [String: String]) -> URL {
    URL.cachesDirectory
  }
}
#elseif canImport(Darwin)
extension StoreLocation {
  static func dataFolder(environment: [String: String]) -> URL {
    URL.applicationSupportDirectory
  }
}
#else
extension StoreLocation {
  /// `$XDG_DATA_HOME` where it is an absolute path, else `~/.local/share`.
  static func dataFolder(environment: [String: String]) -> URL {
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
  }
}
#endif
