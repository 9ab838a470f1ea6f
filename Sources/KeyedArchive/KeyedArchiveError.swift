/// What went wrong while encoding or decoding an archive, apart from a value of the wrong type.
///
/// Values that are absent or of another type are reported as `DecodingError`, values that refuse to be encoded as
/// `EncodingError`, as for every coder; where this module knows more, their context carries one of these errors.
public struct KeyedArchiveError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case malformed, limitReached, unregisteredTag, tagClash, cycle, notEncodable, invalidEncoding
      case newerVersion, migrationFailed, notOnMainActor
    }
    private let kind: Kind

    /// The bytes are not well-formed CBOR, or not an archive's.
    public static let malformed = Self(kind: .malformed)
    /// One of the ``ArchiveLimits`` was reached.
    public static let limitReached = Self(kind: .limitReached)
    /// A stored value names a type that is not registered.
    public static let unregisteredTag = Self(kind: .unregisteredTag)
    /// Two types claim the same tag.
    public static let tagClash = Self(kind: .tagClash)
    /// Objects refer to each other in a circle.
    public static let cycle = Self(kind: .cycle)
    /// A value in a mixed collection is not `Encodable`.
    public static let notEncodable = Self(kind: .notEncodable)
    /// A type's `encode(to:)` asked for something that its encoder cannot do.
    public static let invalidEncoding = Self(kind: .invalidEncoding)
    /// A stored value is of a later version of its type than this program knows.
    public static let newerVersion = Self(kind: .newerVersion)
    /// A type's migration threw; see ``KeyedArchiveError/underlyingError``.
    public static let migrationFailed = Self(kind: .migrationFailed)

    /// A value was read by its tag off the main actor, and its type conforms to `Codable` on the main actor only.
    public static let notOnMainActor = Self(kind: .notOnMainActor)

    public var description: String { kind.rawValue }
  }

  /// The kind of failure.
  public var code: Code {
    get { facts.code }
    set { facts.code = newValue }
  }
  /// What failed, and what can be done about it.
  public var message: String {
    get { facts.message }
    set { facts.message = newValue }
  }
  /// The path of keys to the value that failed.
  public var codingPath: [any CodingKey] {
    get { facts.codingPath }
    set { facts.codingPath = newValue }
  }
  /// The tag of the type that failed, where there is one.
  public var tag: ArchiveTag? {
    get { facts.tag }
    set { facts.tag = newValue }
  }
  /// The version of the stored value, where the failure is about versions.
  public var storedVersion: Int? {
    get { facts.storedVersion }
    set { facts.storedVersion = newValue }
  }
  /// The version that this program knows, where the failure is about versions.
  public var knownVersion: Int? {
    get { facts.knownVersion }
    set { facts.knownVersion = newValue }
  }
  /// What a type's own code threw, where that is what failed.
  public var underlyingError: (any Error)? {
    get { facts.underlyingError }
    set { facts.underlyingError = newValue }
  }

  private struct Facts {
    var code: Code
    var message: String
    var codingPath: [any CodingKey]
    var tag: ArchiveTag?
    var storedVersion: Int?
    var knownVersion: Int?
    var underlyingError: (any Error)?
  }

  /// Elsewhere in memory: an error is one reference where it is thrown, caught and stored in something else.
  private final class Box: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private var box: Box

  private var facts: Facts {
    get { box.facts }
    set { box = Box(newValue) }
  }

  @inline(never)
  package init(
    _ code: Code, _ message: String, codingPath: [any CodingKey] = [], tag: ArchiveTag? = nil,
    underlyingError: (any Error)? = nil
  ) {
    box = Box(
      Facts(code: code, message: message, codingPath: codingPath, tag: tag, underlyingError: underlyingError))
  }

  init(_ error: CBORError, codingPath: [any CodingKey] = []) {
    if error.reason == .tooDeep(limit: DeepStack.greatestDepth) {
      self.init(.limitReached, "\(error). No stack holds more.", codingPath: codingPath)
    } else if error.isLimit {
      self.init(
        .limitReached, "\(error). Raise ArchiveLimits if the archive is trusted.", codingPath: codingPath)
    } else {
      self.init(.malformed, "The bytes are not a well-formed archive: \(error).", codingPath: codingPath)
    }
  }

  static func unregistered(_ tag: ArchiveTag, codingPath: [any CodingKey]) -> KeyedArchiveError {
    KeyedArchiveError(
      .unregisteredTag,
      """
      The archive holds a value of type "\(tag)", which is not registered. Register the type, \
      read it by naming its type, or read it as an ArchiveValue. Or update the program: a newer version may know it.
      """, codingPath: codingPath, tag: tag)
  }

  static func notOnMainActor(_ name: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .notOnMainActor,
      """
      The type "\(name)" was registered on the main actor and can only be created there. \
      Read the value on the main actor, or declare the type `nonisolated` and register it in a separate call.
      """, tag: ArchiveTag(name))
  }

  static func newerVersion(_ version: Int, of tag: ArchiveTag, known: Int) -> KeyedArchiveError {
    var error = KeyedArchiveError(
      .newerVersion,
      """
      The archive holds version \(version) of \(tag); this program knows versions up to \(known). \
      Update the program to one that can read it.
      """, tag: tag)
    error.storedVersion = version
    error.knownVersion = known
    return error
  }

  static func migrationFailed(
    _ cause: any Error, from version: Int, to known: Int, of tag: ArchiveTag, codingPath: [any CodingKey]
  ) -> KeyedArchiveError {
    var error = KeyedArchiveError(
      .migrationFailed,
      "The migration of \(tag) from version \(version) to \(known) failed: \(cause). The stored value is unchanged.",
      codingPath: codingPath, tag: tag, underlyingError: cause)
    error.storedVersion = version
    error.knownVersion = known
    return error
  }

  public var description: String {
    let path = codingPath.isEmpty ? "" : " At \(codingPath.pathDescription)."
    return "\(code): \(message)\(path)"
  }
}

extension DeepStack {
  /// Runs a function as ``run(depth:_:)`` does, with this module's error when there is no such stack.
  static func runArchive<Result>(depth: Int, _ body: () throws -> Result) throws -> Result {
    do {
      return try run(depth: depth, body)
    } catch let error as StackError {
      throw KeyedArchiveError(.limitReached, error.description)
    }
  }
}

extension ArchiveLimits {
  /// The limits with the nesting that a thread's stack can hold.
  var withinStack: ArchiveLimits {
    var limits = self
    limits.maximumDepth = min(maximumDepth, DeepStack.greatestDepth)
    return limits
  }
}

extension [any CodingKey] {
  /// The path as it is written in messages: `garage.cars[2].plate`.
  package var pathDescription: String {
    var text = ""
    for key in self {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        let name = key.stringValue.quotedIfNeeded
        text += text.isEmpty ? name : ".\(name)"
      }
    }
    return text
  }
}
