public import Foundation

extension GlobalData {
  /// What a check of a file found.
  public struct FileReport: Sendable {
    /// What is not as it was written, in words, each with its place. Empty for an intact file.
    public let problems: [String]

    /// The number of intact entries.
    public let entryCount: Int

    /// The size of the file, in bytes.
    public let byteCount: Int

    /// Whether the file is exactly as it was written.
    public var isIntact: Bool { problems.isEmpty }
  }

  /// Verifies the format of a file, all its checksums and the form of every value.
  ///
  /// The file is only read. No store is opened, and no type has to be registered.
  ///
  /// - Returns: What was found. A file of another format is one problem; so is one of a newer version.
  /// - Throws: ``GlobalDataError`` when there is no file or it cannot be read.
  /// - Complexity: O(*n*) in the size of the file.
  public static func check(fileAt url: URL, limits: ArchiveLimits = ArchiveLimits()) throws -> FileReport {
    guard let data = try ArchiveFile(url: url).read(limit: limits.maximumFileSize) else {
      throw GlobalDataError(
        .readFailed, "there is no file \(url.path)", advice: "Check the path.", fileURL: url)
    }
    let contents: ArchiveImage.Contents
    do {
      contents = try ArchiveImage.parse(data, limits: limits)
    } catch {
      let problem = GlobalDataError.cannotParse(error, url).message
      return FileReport(problems: [problem], entryCount: 0, byteCount: data.count)
    }
    guard contents.version <= ArchiveImage.version else {
      let problem = GlobalDataError.cannotParse(.newerFormat(version: contents.version), url).message
      return FileReport(problems: [problem], entryCount: contents.image.entries.count, byteCount: data.count)
    }
    let decoder = KeyedArchiveDecoder(limits: limits)
    let malformed = contents.image.entries.compactMap { entry -> String? in
      do {
        _ = try decoder.decode(ArchiveValue.self, from: entry.content)
        return nil
      } catch {
        return "the value of the entry \"\(entry.key)\": \(error)"
      }
    }
    return FileReport(
      problems: contents.damage.map(String.init(describing:)) + malformed,
      entryCount: contents.image.entries.count - malformed.count, byteCount: data.count)
  }
}
