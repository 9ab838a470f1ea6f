/// An error during the encoding or decoding of an archive, other than a value of the wrong type.
///
/// As with every coder, values that are missing or have another type are reported as `DecodingError`, and values that
/// cannot be encoded as `EncodingError`. If this module has more information, their context contains one of these
/// errors.
public struct KeyedArchiveError: Error, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// A name in place of an enumeration, whose conformances take more code.
    private let name: String

    /// The bytes are not well-formed CBOR, or do not form a valid archive.
    public static let malformed = Self(name: "malformed")
    /// One of the ``ArchiveLimits`` was exceeded.
    public static let limitReached = Self(name: "limitReached")
    /// A stored value names a type that is not registered.
    public static let unregisteredTag = Self(name: "unregisteredTag")
    /// Two types claim the same tag.
    public static let tagClash = Self(name: "tagClash")
    /// Objects refer to each other in a cycle.
    public static let cycle = Self(name: "cycle")
    /// A value in a mixed collection is not `Encodable`.
    public static let notEncodable = Self(name: "notEncodable")
    /// A value cannot be encoded as it is: a type's `encode(to:)` requested an operation that its encoder does not
    /// support, a key occurs twice in a dictionary or a tree, or a tree has a reserved tag.
    public static let invalidEncoding = Self(name: "invalidEncoding")
    /// A stored value has a later version of its type than this program knows.
    public static let newerVersion = Self(name: "newerVersion")
    /// A type's migration threw an error. See ``KeyedArchiveError/underlyingError``.
    public static let migrationFailed = Self(name: "migrationFailed")

    /// A value was read by its tag outside the main actor, but its type's conformance to `Codable` is isolated to the
    /// main actor.
    public static let notOnMainActor = Self(name: "notOnMainActor")

    public var description: String { name }
  }

  /// The kind of failure.
  public var code: Code { storage.facts.code }
  /// A description of the failure, with a suggested solution.
  public var message: String { storage.facts.message }
  /// The path of keys to the value that failed.
  public var codingPath: [any CodingKey] { storage.facts.codingPath }
  /// The tag of the type that failed, if there is one.
  public var tag: ArchiveTag? { storage.facts.tag }
  /// The version of the stored value, if the failure concerns versions.
  public var storedVersion: Int? { storage.facts.storedVersion }
  /// The latest version that this program knows, if the failure concerns versions.
  public var knownVersion: Int? { storage.facts.knownVersion }
  /// The error from a type's own code, if that code failed.
  public var underlyingError: (any Error)? { storage.facts.underlyingError }

  private struct Facts {
    var code: Code
    var message: String
    var codingPath: [any CodingKey]
    var tag: ArchiveTag?
    var storedVersion: Int?
    var knownVersion: Int?
    var underlyingError: (any Error)?
  }

  /// The storage of an error. It is a class, so that an error is a single reference when it is thrown, caught or stored
  /// in another value.
  private final class Storage: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private let storage: Storage

  private init(_ facts: Facts) { storage = Storage(facts) }

  /// Returns the error with the path of the value that failed.
  func located(at path: [any CodingKey]) -> Self {
    var facts = storage.facts
    facts.codingPath = path
    return Self(facts)
  }

  @inline(never)
  package init(
    _ code: Code, _ message: String, codingPath: [any CodingKey] = [], tag: ArchiveTag? = nil,
    versions: (stored: Int, known: Int)? = nil, underlyingError: (any Error)? = nil
  ) {
    self.init(
      Facts(
        code: code, message: message, codingPath: codingPath, tag: tag, storedVersion: versions?.stored,
        knownVersion: versions?.known, underlyingError: underlyingError))
  }

  init(_ error: CBORError, codingPath: [any CodingKey] = []) {
    switch error.reason {
    case .tooDeep(limit: DeepStack.greatestDepth):
      self.init(.limitReached, "\(error). This limit cannot be raised.", codingPath: codingPath)
    case .tooDeep, .tooManyItems:
      self.init(.limitReached, "\(error). Raise ArchiveLimits if the archive is trusted.", codingPath: codingPath)
    default:
      self.init(.malformed, "The bytes are not a well-formed archive: \(error).", codingPath: codingPath)
    }
  }

  static func unregistered(_ tag: ArchiveTag, codingPath: [any CodingKey] = []) -> KeyedArchiveError {
    KeyedArchiveError(
      .unregisteredTag,
      """
      The archive holds a value of type "\(tag)", which is not registered. Register the type, \
      read it by naming its type, or read it as an ArchiveValue. Or update the program: a newer version may know it.
      """, codingPath: codingPath, tag: tag)
  }

  // The session that codes a value adds the path of the value to an error that has none.

  static func notEncodable(_ type: Any.Type, codingPath: [any CodingKey] = []) -> KeyedArchiveError {
    KeyedArchiveError(
      .notEncodable, "A value of type \(type) is not Encodable and cannot be stored.", codingPath: codingPath)
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
    KeyedArchiveError(
      .newerVersion,
      """
      The archive holds version \(version) of \(tag); this program knows versions up to \(known). \
      Update the program to one that can read it.
      """, tag: tag, versions: (version, known))
  }

  static func migrationFailed(
    _ cause: any Error, from version: Int, to known: Int, of tag: ArchiveTag
  ) -> KeyedArchiveError {
    KeyedArchiveError(
      .migrationFailed,
      "The migration of \(tag) from version \(version) to \(known) failed: \(cause). The stored value is unchanged.",
      tag: tag, versions: (version, known), underlyingError: cause)
  }

  public var description: String {
    let path = codingPath.isEmpty ? "" : " At \(codingPath.pathDescription)."
    return "\(code): \(message)\(path)"
  }
}

extension DeepStack {
  /// Runs a function as ``run(depth:_:)`` does, but throws this module's error if no such stack is available.
  static func runArchive<Result>(depth: Int, _ body: () throws -> Result) throws -> Result {
    do {
      return try run(depth: depth, body)
    } catch let error as StackError {
      throw KeyedArchiveError(.limitReached, error.description)
    }
  }
}

extension ArchiveLimits {
  /// The limits, with nesting restricted to the capacity of a thread's stack.
  var withinStack: ArchiveLimits {
    var limits = self
    limits.maximumDepth = min(maximumDepth, DeepStack.greatestDepth)
    return limits
  }
}

extension [any CodingKey] {
  /// The path as messages show it: `garage.cars[2].plate`.
  package var pathDescription: String {
    var text = ""
    for key in self {
      if let index = key.elementIndex {
        text += "[\(index)]"
      } else {
        let name = key.stringValue.quotedIfNeeded
        text += text.isEmpty ? name : ".\(name)"
      }
    }
    return text
  }
}
