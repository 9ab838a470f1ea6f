import CodingSupport
public import Foundation
import GlobalData
public import KeyedArchive

/// The archives of an app's releases, kept with its tests to check that current models still open them.
///
/// ```swift
/// @Suite struct EvolutionTests {
///   static let archives = GoldenArchives(models: [
///     GoldenModel("user", User.sample),
///     GoldenModel("cars", [Car.sample]),
///   ])
///
///   @Test func archivesOfAllReleasesStillOpen() throws {
///     try Self.archives.check()
///   }
///
///   // RELEASE=1.2 swift test --filter recordRelease
///   @Test(.enabled(if: ProcessInfo.processInfo.environment["RELEASE"] != nil)) func recordRelease() throws {
///     try Self.archives.record(release: #require(ProcessInfo.processInfo.environment["RELEASE"]))
///   }
/// }
/// ```
///
/// A release has two files in the folder: `1.2.archive`, a store's file with the samples, and `1.2.schema`, a text with
/// one line for each field of the models. Add both to version control, and never change them.
///
/// See <doc:TestingEvolution>.
public struct GoldenArchives: Sendable {
  /// The folder with the files of all releases.
  public let folder: URL

  /// The keys that the app stores, with samples.
  public let models: [GoldenModel]

  /// Keys that earlier releases stored and the app intentionally no longer reads.
  public let retiredKeys: Set<String>

  /// The types to read without naming them.
  public let registry: TypeRegistry

  /// Creates a check for the archives in a folder next to a source file.
  ///
  /// - Parameters:
  ///   - folder: The name of the folder.
  ///   - file: The source file next to the folder; by default, the caller's.
  ///   - models: The keys that the app stores, with samples.
  ///   - retiredKeys: Keys that earlier releases stored and the app no longer reads.
  ///   - registry: The types to read without naming them, such as the elements of mixed collections.
  public init(
    _ folder: String = "GoldenArchives", beside file: String = #filePath, models: [GoldenModel],
    retiredKeys: Set<String> = [], registry: TypeRegistry = .shared
  ) {
    self.init(
      in: URL(fileURLWithPath: file).deletingLastPathComponent().appending(path: folder, directoryHint: .isDirectory),
      models: models, retiredKeys: retiredKeys, registry: registry)
  }

  /// Creates a check for the archives in a folder.
  public init(in folder: URL, models: [GoldenModel], retiredKeys: Set<String> = [], registry: TypeRegistry = .shared) {
    self.folder = folder
    self.models = models
    self.retiredKeys = retiredKeys
    self.registry = registry
  }

  /// Returns the releases that have a file, in the order of their names, with numbers ordered by value.
  ///
  /// - Throws: The error if the folder cannot be read. A missing folder has no releases.
  public func releases() throws -> [String] {
    let files: [URL]
    do {
      files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    } catch CocoaError.fileReadNoSuchFile {
      return []
    }
    // A release with only one of its files still counts, and fails its check.
    let names = files.filter { ["archive", "schema"].contains($0.pathExtension) }
      .map { $0.deletingPathExtension().lastPathComponent }
    return Set(names).sorted { $0.compare($1, options: .numeric) == .orderedAscending }
  }

  /// Returns the value that a release stored, as a current type, or `nil` if the key has none.
  ///
  /// - Throws: ``GoldenArchivesError`` if the release was not recorded; or the error if the archive or the value cannot
  ///   be read.
  public func object<Value: Codable & Sendable>(
    _ type: Value.Type, forKey key: String, in release: String
  ) throws -> Value? {
    guard FileManager.default.fileExists(atPath: archiveURL(release).path) else {
      throw GoldenArchivesError(release, "there is no archive at \(archiveURL(release).path).")
    }
    let values = try GlobalData.encodedValues(inFileAt: archiveURL(release))
    return try values.first { $0.key == key }.map {
      try KeyedArchiveDecoder(registry: registry).decode(type, from: $0.value)
    }
  }

  /// Records what the current models store for a release.
  ///
  /// Recording an unchanged release again does not change its files.
  ///
  /// - Parameter release: The name of the release, which names its files.
  /// - Throws: ``GoldenArchivesError`` if the name is empty or longer than 200 bytes, contains a slash or begins with a
  ///   dot, a sample cannot be stored, a key has two samples, no sample has a value for the type of a field or a key,
  ///   or the release was recorded with models of another shape; or the reason if the files cannot be written.
  public func record(release: String) throws {
    // Names that begin with a dot are "." and ".." or those of hidden files. File systems know bytes, not characters.
    let name = release.utf8
    guard (1...200).contains(name.count), name.first != UInt8(ascii: "."), !name.contains(UInt8(ascii: "/")),
      !name.contains(0)
    else {
      throw GoldenArchivesError(
        release,
        "a release names its files: use a name without slashes or a dot at its beginning, at most 200 bytes long, such as 1.0."
      )
    }
    let schema = try schema()
    let archive = try archive(of: release)
    let isComplete = FileManager.default.fileExists(atPath: archiveURL(release).path)
    if isComplete || FileManager.default.fileExists(atPath: schemaURL(release).path) {
      try expect(schema, recordedAs: release)
    }
    guard !isComplete else { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The archive is written last: if it exists, both files do.
    try Data(schema.text.utf8).write(to: schemaURL(release), options: .atomic)
    try archive.write(to: archiveURL(release), options: .atomic)
  }

  private func expect(_ schema: ArchiveSchema, recordedAs release: String) throws {
    guard try String(contentsOf: schemaURL(release), encoding: .utf8) != schema.text else { return }
    throw GoldenArchivesError(
      release, "it was recorded before, with models of another shape. Released archives never change: use a new name.")
  }

  /// Returns the file with the samples. Its identity is derived from the release's name, so that the same samples give
  /// the same bytes.
  private func archive(of release: String) throws -> Data {
    do {
      return try GlobalData.archive(
        of: models.map { ($0.key, $0.encode) }, registry: registry,
        identity: UUID(uuid: GoldenArchives.identity(of: release)))
    } catch {
      throw GoldenArchivesError(release, "the samples cannot be stored: \(error)")
    }
  }

  private static func identity(of release: String) -> uuid_t {
    var bytes = Array(repeating: UInt8(0), count: 16)
    for (index, byte) in release.utf8.enumerated() { bytes[index % 16] = bytes[index % 16] &* 31 &+ byte }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
  }

  /// The shapes of the current models.
  private func schema() throws -> ArchiveSchema {
    var known: Set<String> = []
    // A store's file with a key twice is damaged.
    if let model = models.first(where: { !known.insert($0.key).inserted }) {
      throw GoldenArchivesError(
        nil, "the key \"\(model.key)\" has two samples. Use one for each key, for example an array with all cases.")
    }
    let recording = SchemaRecording(registry)
    for model in models {
      do {
        try recording.record(model.sample)
      } catch {
        throw GoldenArchivesError(nil, "the sample of key \"\(model.key)\" cannot be encoded: \(error)")
      }
      recording.schema.keys[model.key.onOneLine] = recording.name(of: model.type)
    }
    let schema = recording.schema
    guard schema.unseenTypes.isEmpty else {
      throw GoldenArchivesError(
        problems: schema.unseenTypes.sorted { $0.key < $1.key }.map { type, field in
          GoldenArchivesError.Problem(
            release: nil,
            message: "no sample has a value of type \(type) in \(field). Fill it, so that its shape is known."
          )
        })
    }
    return schema
  }

  private func archiveURL(_ release: String) -> URL { folder.appending(path: release + ".archive") }

  private func schemaURL(_ release: String) -> URL { folder.appending(path: release + ".schema") }
}

extension GoldenArchivesError {
  fileprivate init(_ release: String?, _ message: String) {
    self.init(problems: [Problem(release: release, message: message)])
  }
}

extension GoldenArchives {
  /// Checks that the current models can read the archives of all releases, without losing any stored field.
  ///
  /// For each release:
  ///
  /// - The shape of the current models is compared with the recorded one. For each field that was removed, added or
  ///   given another type, there must be a declaration: an optional, a former name, a default, or a higher version with
  ///   a migration.
  /// - Each value in the archive is read as its current type, through its migrations, then written and read again. No
  ///   field may remain unread.
  ///
  /// - Throws: ``GoldenArchivesError`` with all problems, also if no release was recorded yet.
  public func check() throws {
    let schema = try schema()
    let releases = try releases()
    guard !releases.isEmpty else {
      throw GoldenArchivesError(
        nil, "no release was recorded in \(folder.path). Call record(release:) once and keep its files.")
    }
    let problems = releases.flatMap { release in
      (shapeProblems(of: release, schema) + valueProblems(of: release)).map { message in
        GoldenArchivesError.Problem(release: release, message: message)
      }
    }
    guard problems.isEmpty else { throw GoldenArchivesError(problems: problems) }
  }

  private func shapeProblems(of release: String, _ schema: ArchiveSchema) -> [String] {
    let text: String
    do {
      text = try String(contentsOf: schemaURL(release), encoding: .utf8)
    } catch {
      return ["its schema cannot be read: \(error)"]
    }
    guard var old = ArchiveSchema(text: text) else { return ["\(schemaURL(release).path) is not a schema"] }
    for key in retiredKeys { old.keys[key.onOneLine] = nil }
    return schema.problems(reading: old)
  }

  private func valueProblems(of release: String) -> [String] {
    let values: [(key: String, value: Data)]
    do {
      values = try GlobalData.encodedValues(inFileAt: archiveURL(release))
    } catch {
      return ["its archive cannot be read: \(error)"]
    }
    return values.flatMap { key, value -> [String] in
      // The schema reports a key without a model.
      guard !retiredKeys.contains(key), let model = models.first(where: { $0.key == key }) else { return [] }
      do {
        return try model.open(value, registry).map { path in
          "key \"\(key)\": the stored field \(path) is read by no model and is lost with the next write"
        }
      } catch {
        return ["key \"\(key)\": it cannot be opened: \(error)"]
      }
    }
  }
}

/// The problems of current models with the archives of releases.
public struct GoldenArchivesError: Error, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The release of the archive, if the problem concerns one.
    public let release: String?

    /// What is wrong, and what to do about it.
    public let message: String

    /// The release and the message.
    public var description: String { release.map { "release \($0): \(message)" } ?? message }
  }

  /// All problems.
  public let problems: [Problem]

  /// All problems, one on each line.
  public var description: String {
    "\(counted(problems.count, "problem", "problems")) with golden archives:\n"
      + problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
