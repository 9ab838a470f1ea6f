/// What went wrong while encoding or decoding an archive, apart from a value of the wrong type.
///
/// Values that are absent or of another type are reported as `DecodingError`, values that refuse to be encoded as
/// `EncodingError`, as for every coder; where this module knows more, their context carries one of these errors.
public struct KeyedArchiveError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// A name in place of an enumeration, whose conformances take more code.
    private let name: String

    /// The bytes are not well-formed CBOR, or not an archive's.
    public static let malformed = Self(name: "malformed")
    /// One of the ``ArchiveLimits`` was reached.
    public static let limitReached = Self(name: "limitReached")
    /// A stored value names a type that is not registered.
    public static let unregisteredTag = Self(name: "unregisteredTag")
    /// Two types claim the same tag.
    public static let tagClash = Self(name: "tagClash")
    /// Objects refer to each other in a circle.
    public static let cycle = Self(name: "cycle")
    /// A value in a mixed collection is not `Encodable`.
    public static let notEncodable = Self(name: "notEncodable")
    /// A type's `encode(to:)` asked for something that its encoder cannot do.
    public static let invalidEncoding = Self(name: "invalidEncoding")
    /// A stored value is of a later version of its type than this program knows.
    public static let newerVersion = Self(name: "newerVersion")
    /// A type's migration threw; see ``KeyedArchiveError/underlyingError``.
    public static let migrationFailed = Self(name: "migrationFailed")

    /// A value was read by its tag off the main actor, and its type conforms to `Codable` on the main actor only.
    public static let notOnMainActor = Self(name: "notOnMainActor")

    public var description: String { name }
  }

  /// The kind of failure.
  public var code: Code {
    get { facts.code }
    _modify {
      separate()
      yield &facts.code
    }
  }
  /// What failed, and what can be done about it.
  public var message: String {
    get { facts.message }
    _modify {
      separate()
      yield &facts.message
    }
  }
  /// The path of keys to the value that failed.
  public var codingPath: [any CodingKey] {
    get { facts.codingPath }
    _modify {
      separate()
      yield &facts.codingPath
    }
  }
  /// The tag of the type that failed, where there is one.
  public var tag: ArchiveTag? {
    get { facts.tag }
    _modify {
      separate()
      yield &facts.tag
    }
  }
  /// The version of the stored value, where the failure is about versions.
  public var storedVersion: Int? {
    get { facts.storedVersion }
    _modify {
      separate()
      yield &facts.storedVersion
    }
  }
  /// The version that this program knows, where the failure is about versions.
  public var knownVersion: Int? {
    get { facts.knownVersion }
    _modify {
      separate()
      yield &facts.knownVersion
    }
  }
  /// What a type's own code threw, where that is what failed.
  public var underlyingError: (any Error)? {
    get { facts.underlyingError }
    _modify {
      separate()
      yield &facts.underlyingError
    }
  }

  /// Elsewhere in memory, so that an error is one reference where it is thrown, caught and stored in something else.
  ///
  /// `@unchecked Sendable` is right because facts are changed only while one error alone refers to them.
  private final class Facts: @unchecked Sendable {
    var code: Code
    var message: String
    var codingPath: [any CodingKey]
    var tag: ArchiveTag?
    var storedVersion: Int?
    var knownVersion: Int?
    var underlyingError: (any Error)?

    init(
      _ code: Code, _ message: String, _ codingPath: [any CodingKey], _ tag: ArchiveTag?,
      _ underlyingError: (any Error)?
    ) {
      self.code = code
      self.message = message
      self.codingPath = codingPath
      self.tag = tag
      self.underlyingError = underlyingError
    }
  }

  private var facts: Facts

  /// Copies the facts where another error has the same ones, before they are changed.
  @inline(never)
  private mutating func separate() {
    guard !isKnownUniquelyReferenced(&facts) else { return }
    let copy = Facts(facts.code, facts.message, facts.codingPath, facts.tag, facts.underlyingError)
    copy.storedVersion = facts.storedVersion
    copy.knownVersion = facts.knownVersion
    facts = copy
  }

  @inline(never)
  package init(
    _ code: Code, _ message: String, codingPath: [any CodingKey] = [], tag: ArchiveTag? = nil,
    underlyingError: (any Error)? = nil
  ) {
    facts = Facts(code, message, codingPath, tag, underlyingError)
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
