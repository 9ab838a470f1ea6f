public import FoundationCore

extension GlobalData {
  /// The result of checking a file.
  public struct FileReport: Sendable {
    /// Descriptions of the problems found, each with its position. Empty for an intact file.
    public let problems: [String]

    /// The number of intact entries.
    public let entryCount: Int

    /// The size of the file, in bytes.
    public let byteCount: Int

    /// A Boolean value that indicates whether the file is exactly as it was written.
    @_alwaysEmitIntoClient
    public var isIntact: Bool { problems.isEmpty }
  }

  /// Verifies the format of a file, all its checksums and the form of every value.
  ///
  /// This method only reads the file. It opens no store, and no type has to be registered.
  ///
  /// - Parameters:
  ///   - url: The location of the file.
  ///   - limits: The limits for the contents of the file.
  ///   - progress: A closure that is called repeatedly with the verified share of the values, from 0 to 1.
  /// - Returns: A report of the problems. A file in another format or of a newer version counts as one problem.
  /// - Throws: ``GlobalDataError`` if the file does not exist or cannot be read.
  /// - Complexity: O(*n*) in the size of the file.
  public static func check(
    fileAt url: URL, limits: ArchiveLimits = ArchiveLimits(), progress: (Double) -> Void = { _ in }
  ) throws -> FileReport {
    let reading = try existingFile(at: url, limits)
    let byteCount = reading.bytes.count
    let contents: ArchiveImage.Contents
    switch reading.parsed {
    case .intact(let readable), .damaged(let readable): contents = readable
    case .newer, .unreadable, .foreign:
      let problem = GlobalDataError.notIntact(reading.parsed, url).message
      let entryCount = reading.parsed.contents?.image.entries.count ?? 0
      return FileReport(problems: [problem], entryCount: entryCount, byteCount: byteCount)
    }
    let malformed = malformedValues(of: contents.image.entries, limits, progress)
    return FileReport(
      problems: contents.damage.map(String.init(describing:)) + malformed,
      entryCount: contents.image.entries.count - malformed.count, byteCount: byteCount)
  }

  /// Returns a description of the problem for each value that is not well-formed.
  @inline(never)
  static func malformedValues(
    of entries: EntryTable, _ limits: ArchiveLimits, _ progress: (Double) -> Void = { _ in }
  ) -> [String] {
    let decoder = KeyedArchiveDecoder(limits: limits)
    var problems: [String] = []
    for (index, entry) in entries.list().enumerated() {
      progress(Double(index) / Double(entries.count))
      do {
        _ = try decoder.decode(ArchiveValue.self, from: entry.content)
      } catch {
        let cause = GlobalDataError.decoding(error, key: entry.key, of: entry, wanted: nil, in: nil).cause
        problems.append("the value under the key \(entry.key.quoted) cannot be decoded: \(cause ?? "\(error)")")
      }
    }
    return problems
  }
}
