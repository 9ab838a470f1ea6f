import Foundation
import GlobalData

struct ArchiveOperand {
  let url: URL

  init(_ path: String) {
    url = URL(fileURLWithPath: path)
  }

  /// What a file that must exist holds. This leaves no trace, and needs no right but to read the file. Unlimited values
  /// may hold one instance in so many places that they take far more memory than the file.
  func contents(isUnlimited: Bool = false) async throws -> Contents {
    guard exists else { throw MissingFile(path: url.path) }
    var configuration = configuration
    if isUnlimited { configuration.limits.maximumItems = .max }
    if isPropertyList { return try await Contents(importing: self, configuration) }
    return Contents(try GlobalData.contents(ofFileAt: url, limits: configuration.limits))
  }

  /// What an archive that must exist holds.
  func archive() throws -> GlobalData.FileContents {
    guard exists else { throw MissingFile(path: url.path) }
    return try GlobalData.contents(ofFileAt: url, limits: configuration.limits)
  }

  /// Whether the file begins as a property list does. A file that cannot be opened is not told apart: reading it says
  /// why.
  private var isPropertyList: Bool {
    guard let file = FileHandle(forReadingAtPath: url.path) else { return false }
    defer { file.closeFile() }
    let start = file.readData(ofLength: 64)
    return start.starts(with: "bplist".utf8) || start.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }

  func size() throws -> Int {
    try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }

  /// What a check of a file that must exist finds. This leaves no trace either.
  func report() throws -> GlobalData.FileReport {
    guard exists else { throw MissingFile(path: url.path) }
    var progress = ProgressBar("checking")
    defer { progress.finish() }
    return try GlobalData.check(fileAt: url, limits: ArchiveOperand.limits) { progress.update($0) }
  }

  /// An app may have raised its limit for the size of a file.
  private static let limits: ArchiveLimits = {
    var limits = ArchiveLimits()
    limits.maximumFileSize = Int.max >> 1
    return limits
  }()

  /// The store in a file that must exist: a store takes an absent file for an empty one, a command line does not.
  func existingStore() throws -> GlobalData {
    guard exists else { throw MissingFile(path: url.path) }
    return store()
  }

  /// The store in a file that may be created. It refuses a damaged file: its user decides what is kept of it.
  func store() -> GlobalData {
    GlobalData(at: url, configuration: configuration)
  }

  private var configuration: GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.recoveryPolicy = .refuse
    configuration.limits = ArchiveOperand.limits
    return configuration
  }

  /// Whether there is something under the path, be it a link that leads nowhere.
  var exists: Bool {
    if FileManager.default.fileExists(atPath: url.path) { return true }
    // Only a link has a destination; that asking fails is the answer.
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) != nil
  }
}

struct MissingFile: Error, CustomStringConvertible {
  var path: String
  var description: String { "there is no file \(path)" }
}
