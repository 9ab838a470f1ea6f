import CodingSupport
public import GlobalData
public import ModelMapping

/// The entries that an import stored, skipped and converted.
public struct ImportReport: Sendable {
  /// The keys whose values were imported, in the order of the source.
  public internal(set) var importedKeys: [String] = []

  /// The entries of the source that were left out, and why.
  public internal(set) var skipped: [SkippedEntry] = []

  /// Values that were read as another type, such as attributed strings as text, including those of skipped entries.
  public internal(set) var conversions: [Conversion] = []

  /// The fields of archived objects that no type read, by class, including those of skipped entries. They are not
  /// imported.
  public internal(set) var unreadFields: [String: [String]] = [:]

  /// The findings of models: conversions, defaults and dropped elements. Each path begins with the entry's key.
  public internal(set) var modelFindings = DecodingReport()

  /// The number of findings after the first thousand, which ``modelFindings`` leaves out.
  public internal(set) var moreModelFindings = 0

  /// An entry of the source that was left out.
  public struct SkippedEntry: Sendable {
    /// The entry's key in the source.
    public let key: String

    /// The kind of reason.
    public let reason: Reason

    /// The reason, as a sentence without its final period.
    public let message: String

    /// The error for an entry that could not be read.
    public let error: GlobalDataError?
  }

  /// A kind of reason to leave out an entry.
  ///
  /// Later versions may add kinds: use a `default` case when you switch over them.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// The entry could not be read or stored, and the import skips such entries.
    public static let unreadable = Reason(name: "unreadable")
    /// The store has a value for the entry's key, and the import keeps that value.
    public static let existing = Reason(name: "existing")
    /// The source has no value for the entry, or null.
    public static let noValue = Reason(name: "noValue")

    /// The name of the reason, for example `unreadable`.
    public var description: String { name }
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
    let keys = importedKeys.isEmpty ? "" : ": " + importedKeys.map(\.quotedIfNeeded).joined(separator: ", ")
    var lines = ["imported \(counted(importedKeys.count, "entry", "entries"))\(keys)"]
    lines += skipped.map { "skipped \($0.key.quoted): \($0.message)" }
    lines += conversions.map {
      "converted \($0.count) of \($0.stored.quotedIfNeeded) to \($0.imported.quotedIfNeeded)"
    }
    lines += unreadFields.sorted { $0.key < $1.key }.map {
      "left out of \($0.key.quotedIfNeeded): \($0.value.map(\.quotedIfNeeded).joined(separator: ", "))"
    }
    lines += modelFindings.entries.map(\.description)
    if moreModelFindings > 0 {
      lines.append("and \(counted(moreModelFindings, "more finding", "more findings")) of models")
    }
    return lines.joined(separator: "\n")
  }
}

extension GlobalData {
  /// The entries that an import skips, instead of failing or replacing values.
  public struct ImportExceptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Entries that cannot be read, such as objects of a class that is not in the class map. Without this option, one
    /// such entry makes the import fail, and nothing is imported.
    public static let unreadable = ImportExceptions(rawValue: 1)

    /// Entries whose keys already have a value in the store. Without this option, the value is replaced.
    public static let existing = ImportExceptions(rawValue: 2)
  }

  /// The way in which an import handles archived objects whose class is not in the class map.
  public enum UnknownClasses: Sendable {
    /// They cannot be read: the import fails, or skips the entries that contain them.
    case refuse

    /// They become trees: an `ArchiveValue.object` with the name of the class as its tag, and all of the object's
    /// fields under their archived names. The tag of a Swift class is its name without the module.
    ///
    /// Each use of an object becomes a separate copy. A reference from inside an object back to it, such as that of a
    /// child to its parent, becomes null, and the report counts these.
    case keepAsTrees
  }
}
