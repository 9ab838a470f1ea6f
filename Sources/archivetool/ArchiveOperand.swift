import Foundation
import GlobalData
import GlobalDataImporting

/// A path to a file among the arguments of a command.
struct ArchiveOperand {
  let url: URL

  init(_ path: String) throws {
    // Foundation resolves a relative path. It would repair the name of the current folder, and so find another file.
    guard path.hasPrefix("/") || ArchiveOperand.isCurrentFolderUTF8 else {
      throw Failure("the path of the current folder is not valid UTF-8")
    }
    // Foundation would replace a tilde, although the shell has already replaced what is not quoted.
    url = URL(fileURLWithPath: path.hasPrefix("~") ? "./" + path : path)
  }

  private static var isCurrentFolderUTF8: Bool {
    guard let path = getcwd(nil, 0) else { return true }  // The folder was removed; the path is refused later.
    defer { free(path) }
    return String(validatingCString: path) != nil
  }

  /// Returns the contents of an existing file. Leaves no trace, and only needs read access. Unlimited values with many
  /// references to one instance can take far more memory than the file.
  func contents(isUnlimited: Bool = false) async throws -> Contents {
    try requireFile()
    if isPropertyList { return try await Contents(importing: self, configuration(isUnlimited: isUnlimited)) }
    return Contents(try GlobalData.contents(ofFileAt: url, limits: ArchiveOperand.limits(isUnlimited: isUnlimited)))
  }

  /// Returns the contents of an existing archive.
  func archive() throws -> GlobalData.FileContents {
    try requireFile()
    return try GlobalData.contents(ofFileAt: url, limits: ArchiveOperand.limits())
  }

  /// Whether the file begins like a property list. A folder or a pipe does not, and neither does a file that cannot be
  /// read: reading the archive then reports why.
  private var isPropertyList: Bool {
    let descriptor = open(url.path, O_RDONLY | O_NONBLOCK)  // without the option, opening a pipe waits for its writer
    guard descriptor >= 0 else { return false }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard let start = try? file.read(upToCount: 4096) else { return false }  // as above
    return GlobalData.isPropertyList(start)
  }

  /// The size of the file, or of the one that the path leads to as a link.
  var byteCount: Int {
    var status = stat()
    return stat(url.path, &status) == 0 ? Int(clamping: status.st_size) : 0
  }

  /// Checks an existing file. Leaves no trace.
  func report(isUnlimited: Bool) throws -> GlobalData.FileReport {
    try requireFile()
    var progress = ProgressBar("checking")
    defer { progress.finish() }
    let limits = ArchiveOperand.limits(isUnlimited: isUnlimited)
    return try GlobalData.check(fileAt: url, limits: limits) { progress.update($0) }
  }

  /// An app may have raised its limits. Those for values are only lifted on request, since they protect memory.
  private static func limits(isUnlimited: Bool = false) -> ArchiveLimits {
    var limits = ArchiveLimits()
    limits.maximumFileSize = Int.max >> 1
    limits.maximumKeyLength = .max  // the format has a limit of its own
    if isUnlimited { (limits.maximumDepth, limits.maximumItems) = (.max, .max) }
    return limits
  }

  /// Returns the store of an existing file. A store treats a missing file as empty; the tool does not.
  func existingStore() throws -> GlobalData {
    try requireFile()
    return store()
  }

  /// Returns the store of a file, which it may create. It refuses a damaged file, so that the user decides what to
  /// keep.
  func store(isUnlimited: Bool = false) -> GlobalData {
    GlobalData(at: url, configuration: configuration(isUnlimited: isUnlimited))
  }

  private func configuration(isUnlimited: Bool) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.recoveryPolicy = .refuse
    configuration.limits = ArchiveOperand.limits(isUnlimited: isUnlimited)
    // The log of a system without one is the same standard error, to which it writes paths as they are.
    configuration.diagnosticHandler = { diagnostic in
      Output.complain(diagnostic.error.map { "\(diagnostic.message): \($0.inCommands)" } ?? diagnostic.message)
    }
    return configuration
  }

  func requireFile() throws {
    guard exists else { throw Failure("there is no file at \(url.path)") }
    // The path of an unnamed pipe, such as /dev/stdin, is a link to a target without a path, which would be reported as
    // a broken link.
    var status = stat()
    guard stat(url.path, &status) != 0 || status.st_mode & S_IFMT != S_IFIFO else {
      throw Failure("\(url.path) is a pipe, not a file; write what it carries to a file first")
    }
  }

  /// Whether the path exists, if only as a broken link. A path that cannot be followed counts as existing, so that
  /// reading it reports why.
  var exists: Bool {
    var status = stat()
    return lstat(url.path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }
}
