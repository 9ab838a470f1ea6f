public import FoundationCore

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
  /// - Parameters:
  ///   - url: The place of the file.
  ///   - limits: What the file may hold.
  ///   - progress: Is called now and then with the share of the values that were verified, from 0 to 1.
  /// - Returns: What was found. A file of another format is one problem; so is one of a newer version.
  /// - Throws: ``GlobalDataError`` when there is no file or it cannot be read.
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

  /// Returns what is wrong with values that are not well-formed, in words.
  @inline(never)
  static func malformedValues(
    of entries: EntryTable, _ limits: ArchiveLimits, _ progress: (Double) -> Void = { _ in }
  ) -> [String] {
    let decoder = KeyedArchiveDecoder(limits: limits)
    var problems: [String] = []
    var index = 0
    for entry in entries {
      progress(Double(index) / Double(entries.count))
      index += 1
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
