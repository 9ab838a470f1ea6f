import CodingSupport
public import GlobalData
public import ModelMapping

/// Lists what an import stored, skipped and converted.
public struct ImportReport: Sendable {
  /// The keys whose values were imported, in the order of the source.
  public internal(set) var importedKeys: [String] = []

  /// The entries of the source that were left out, and why.
  public internal(set) var skipped: [SkippedEntry] = []

  /// Values that were stored as another type, such as attributed strings as text.
  public internal(set) var conversions: [Conversion] = []

  /// The fields of archived objects that no type read, by class. They are not imported.
  public internal(set) var unreadFields: [String: [String]] = [:]

  /// The findings of models: conversions, defaults and dropped elements. Each path begins with the entry's key.
  public internal(set) var modelFindings = DecodingReport()

  /// The number of findings that ``modelFindings`` leaves out; it lists the first thousand.
  public internal(set) var moreModelFindings = 0

  /// An entry of the source that was left out.
  public struct SkippedEntry: Sendable {
    /// The entry's key in the source.
    public let key: String

    /// The kind of reason.
    public let reason: Reason

    /// The reason, as a sentence without its full stop.
    public let message: String

    /// The error for an entry that could not be read.
    public let error: GlobalDataError?

    init(key: String, _ reason: Reason, _ message: String, _ error: GlobalDataError? = nil) {
      self.key = key
      self.reason = reason
      self.message = message
      self.error = error
    }
  }

  /// The kinds of reason to leave out an entry.
  ///
  /// Later versions may add kinds: use a `default` case when you switch over them.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case unreadable, existing, noValue
    }

    private let kind: Kind

    /// It could not be read or stored, and the import skips such entries.
    public static let unreadable = Reason(kind: .unreadable)
    /// The store has a value for its key, and the import keeps it.
    public static let existing = Reason(kind: .existing)
    /// The source has no value for it, or null.
    public static let noValue = Reason(kind: .noValue)

    /// The name of the reason, for example `unreadable`.
    public var description: String { kind.rawValue }
  }

  /// A kind of value that was stored as another type.
  public struct Conversion: Hashable, Sendable {
    /// The class or kind of value in the source.
    public let stored: String

    /// The class or type that it was imported as.
    public let imported: String

    /// The number of values.
    public internal(set) var count: Int
  }
}

extension ImportReport: CustomStringConvertible {
  /// The whole report as text, one line for each finding.
  public var description: String {
    var lines = [
      "imported \(counted(importedKeys.count, "entry", "entries")): \(importedKeys.joined(separator: ", "))"
    ]
    lines += skipped.map { "skipped \($0.key.quoted): \($0.message)" }
    lines += conversions.map { "converted \($0.count) of \($0.stored) to \($0.imported)" }
    lines += unreadFields.sorted { $0.key < $1.key }.map {
      "left out of \($0.key): \($0.value.joined(separator: ", "))"
    }
    lines += modelFindings.entries.map(\.description)
    if moreModelFindings > 0 {
      lines.append("and \(counted(moreModelFindings, "more finding", "more findings")) of models")
    }
    return lines.joined(separator: "\n")
  }
}
