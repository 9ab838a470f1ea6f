public import FoundationCore

extension GlobalData {
  /// The contents of an intact file, for programs that inspect a store from outside.
  ///
  /// ```swift
  /// let contents = try GlobalData.contents(ofFileAt: url)
  /// for entry in contents.entries {
  ///   print(entry.key, try contents.value(forKey: entry.key) ?? .null)
  /// }
  /// ```
  public struct FileContents: Sendable {
    /// The entries in the order in which their keys were first set, including entries from appended changes.
    public let entries: [EntryInfo]

    /// The generation of the contents, which grows by one with each write of the store, also if it is appended. A
    /// backup has the generation of its store. A restoration continues after the greater of both generations.
    public let generation: UInt64

    /// The size of the file, in bytes.
    public let byteCount: Int

    private let contents: ArchiveImage.Contents
    private let url: URL
    private let limits: ArchiveLimits

    fileprivate init(_ contents: ArchiveImage.Contents, _ url: URL, limits: ArchiveLimits) {
      entries = contents.image.entries.list().map { EntryInfo($0, registry: .shared) }
      generation = contents.image.generation
      byteCount = contents.byteCount
      (self.contents, self.url, self.limits) = (contents, url, limits)
    }

    /// Returns the value under a key as a tree, or `nil` if there is no value.
    ///
    /// No type has to be registered.
    ///
    /// - Throws: ``GlobalDataError`` with code `decodingFailed` if the value is not well-formed, or if its tree exceeds
    ///   the limits.
    /// - Complexity: O(*n*) in the size of the value, at every call.
    public func value(forKey key: String) throws -> ArchiveValue? {
      var configuration = Configuration(location: .file(url))
      configuration.limits = limits
      return try contents.image.entries[key]?.decode(ArchiveValue.self, configuration, in: url).value
    }

    /// Returns whether the value under a key has the same bytes in another file, without decoding it.
    package func hasSameBytes(forKey key: String, as other: FileContents) -> Bool {
      guard let content = contents.image.entries.content(forKey: key) else { return false }
      return content == other.contents.image.entries.content(forKey: key)
    }
  }

  /// Reads the contents of a file without opening a store.
  ///
  /// This method creates, removes and locks nothing, so you can call it safely while an app uses the file. The result
  /// does not include changes that the app writes in the meantime.
  ///
  /// - Parameters:
  ///   - url: The location of the file.
  ///   - limits: The limits for the contents of the file.
  /// - Returns: The file's entries.
  /// - Throws: ``GlobalDataError`` if the file does not exist or cannot be read. The code is `damaged` if the file is
  ///   not as it was written, and `newerFormat` if it has a later version and not the known form.
  /// - Complexity: O(*n*) in the size of the file. No value is decoded.
  public static func contents(ofFileAt url: URL, limits: ArchiveLimits = ArchiveLimits()) throws -> FileContents {
    let parsed = try existingFile(at: url, limits).parsed
    switch parsed {
    case .intact(let contents): return FileContents(contents, url, limits: limits)
    case .newer(_, let contents?) where contents.damage.isEmpty: return FileContents(contents, url, limits: limits)
    case .damaged, .newer, .unreadable, .foreign: throw GlobalDataError.notIntact(parsed, url)
    }
  }

  @inline(never)
  static func existingFile(at url: URL, _ limits: ArchiveLimits) throws -> FileSession.Reading {
    let session = FileSession(ArchiveFile(url: url), .reading)
    defer { session.end() }
    guard let reading = try session.readArchive(limit: limits.maximumFileSize) else {
      throw GlobalDataError(.readFailed, "there is no file at \(url.path)", advice: "Check the path.", fileURL: url)
    }
    return reading
  }

  /// The result of checking a file.
  public struct FileReport: Sendable {
    /// Descriptions of the problems found, each with its position or key. Empty for an intact file.
    public let problems: [String]

    /// The number of intact entries.
    public let entryCount: Int

    /// The size of the file, in bytes.
    public let byteCount: Int

    /// Whether a value is reported only because it exceeds the limits.
    package var exceedsLimits = false

    /// Whether there are no problems. An incomplete change at the end, as after a power cut, is not a problem.
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
  ///   - progress: A closure that is called before each value is verified, with the share of the values that were
  ///     verified before: from 0 to less than 1.
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
      problems: contents.damage.map(String.init(describing:)) + malformed.problems,
      entryCount: contents.image.entries.count - malformed.problems.count, byteCount: byteCount,
      exceedsLimits: malformed.exceedLimits)
  }

  /// Returns a description of the problem for each value that is not well-formed, and whether a value was not read to
  /// its end because of the limits.
  @inline(never)
  static func malformedValues(
    of entries: EntryTable, _ limits: ArchiveLimits, _ progress: (Double) -> Void = { _ in }
  ) -> (problems: [String], exceedLimits: Bool) {
    let decoder = KeyedArchiveDecoder(limits: limits)
    var problems: [String] = []
    var exceedLimits = false
    for (index, entry) in entries.list().enumerated() {
      progress(Double(index) / Double(entries.count))
      do {
        _ = try decoder.decode(ArchiveValue.self, from: entry.content, followingReferences: false)
      } catch {
        if let error = error as? KeyedArchiveError, error.code == .limitReached { exceedLimits = true }
        let cause = GlobalDataError.decoding(error, key: entry.key, of: entry, wanted: nil, in: nil).cause
        problems.append("the value under the key \(entry.key.quoted) cannot be decoded: \(cause ?? "\(error)")")
      }
    }
    return (problems, exceedLimits)
  }

  /// Information about an entry that is available without decoding its value.
  public struct EntryInfo: Hashable, Sendable {
    /// The key of the entry.
    public let key: String

    /// The type of the value, given as its stored type tag or, without one, as the type of its stored form, such as
    /// `Int`.
    public let type: String

    /// The size of the encoded value, in bytes.
    public let size: Int
  }
}

extension GlobalData.EntryInfo {
  @inline(never)
  init(_ entry: StoredEntry, registry: TypeRegistry) {
    key = entry.key
    type = KeyedArchiveDecoder(registry: registry).storedTypeName(of: entry.content)
    size = entry.content.count
  }
}
