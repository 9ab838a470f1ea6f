public import FoundationCore

extension GlobalData {
  /// The contents of an intact file, for programs that inspect it from outside.
  ///
  /// ```swift
  /// let contents = try GlobalData.contents(ofFileAt: url)
  /// for entry in contents.entries {
  ///   print(entry.key, try contents.value(forKey: entry.key) ?? .null)
  /// }
  /// ```
  public struct FileContents: Sendable {
    /// The entries in the order in which their keys were first set, those of appended changes included.
    public let entries: [EntryInfo]

    /// How often the file was written, appended changes included.
    public let generation: UInt64

    /// The size of the file, in bytes.
    public let byteCount: Int

    private let storedEntries: [String: StoredEntry]
    private let configuration: Configuration
    private let url: URL

    init(_ contents: ArchiveImage.Contents, _ url: URL, limits: ArchiveLimits) {
      var configuration = Configuration(location: .file(url))
      configuration.limits = limits
      let stored = contents.image.entries.list()
      entries = stored.map { EntryInfo($0, registry: configuration.registry) }
      generation = contents.image.generation
      byteCount = contents.byteCount
      var storedEntries: [String: StoredEntry] = .init(minimumCapacity: stored.count)
      for entry in stored where storedEntries[entry.key] == nil { storedEntries[entry.key] = entry }
      self.storedEntries = storedEntries
      self.configuration = configuration
      self.url = url
    }

    /// The value under a key as a tree, for which no type has to be registered; `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` with code `decodingFailed` when the value is not well-formed.
    /// - Complexity: O(*n*) in the size of the value, each time.
    public func value(forKey key: String) throws -> ArchiveValue? {
      try storedEntries[key]?.decode(ArchiveValue.self, configuration, in: url).value
    }

    /// Whether the value has the same bytes in another file; decodes nothing.
    package func hasSameBytes(forKey key: String, as other: FileContents) -> Bool {
      guard let entry = storedEntries[key], let otherEntry = other.storedEntries[key] else { return false }
      return entry.content == otherEntry.content
    }
  }

  /// Reads what a file holds, without opening a store.
  ///
  /// Nothing is created, removed or locked, so that this is safe beside an app that uses the file. What it writes
  /// meanwhile is not seen.
  ///
  /// - Parameters:
  ///   - url: The place of the file.
  ///   - limits: What the file may hold.
  /// - Returns: The file's entries. Of a newer version's file, those that have the known form.
  /// - Throws: ``GlobalDataError`` when there is no file or it cannot be read; with code `damaged` when it is not as it
  ///   was written.
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
    guard let reading = try session.readArchive(limits) else {
      throw GlobalDataError(
        .readFailed, "there is no file at \(url.path)", advice: "Check the path.", fileURL: url)
    }
    return reading
  }
}
