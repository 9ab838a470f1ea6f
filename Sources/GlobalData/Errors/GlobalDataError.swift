public import FoundationCore

/// What a store could not do, on which file, key and value, why, and what can be done about it.
///
/// A missing value is never an error: it is `nil`. Unless the documentation of a code says otherwise, the store and its
/// file are as they were before the call that threw.
///
/// ```swift
/// do {
///   try await GlobalData.set(car, forKey: "car")
/// } catch let error as GlobalDataError where error.code == .writeFailed {
///   show(error.message, error.advice)
/// }
/// ```
public struct GlobalDataError: Error, Sendable {
  /// The kind of failure, for programs to tell failures apart.
  public var code: Code {
    get { facts.code }
    set { ownFacts.code = newValue }
  }

  /// What failed, as a sentence without its full stop; it names the file or key where there is one.
  public var message: String {
    get { facts.message }
    set { ownFacts.message = newValue }
  }

  /// What the user or the developer can do about it, in full sentences.
  public var advice: String {
    get { facts.advice }
    set { ownFacts.advice = newValue }
  }

  /// The file of the store.
  public var fileURL: URL? {
    get { facts.fileURL }
    set { ownFacts.fileURL = newValue }
  }

  /// The key of the entry.
  public var key: String? {
    get { facts.key }
    set { ownFacts.key = newValue }
  }

  /// The path inside the value, from its root to the property or element.
  public var codingPath: [any CodingKey] {
    get { facts.codingPath }
    set { ownFacts.codingPath = newValue }
  }

  /// The type that the file holds, by its type tag or kind of item.
  public var storedType: String? {
    get { facts.storedType }
    set { ownFacts.storedType = newValue }
  }

  /// The type that the caller wanted.
  public var wantedType: String? {
    get { facts.wantedType }
    set { ownFacts.wantedType = newValue }
  }

  /// The version of the stored type, where the failure is about versions.
  public var storedVersion: Int? {
    get { facts.storedVersion }
    set { ownFacts.storedVersion = newValue }
  }

  /// The version of the type that this program knows, where the failure is about versions.
  public var knownVersion: Int? {
    get { facts.knownVersion }
    set { ownFacts.knownVersion = newValue }
  }

  /// The system call that failed, for example `fsync`.
  public var systemCall: String? {
    get { facts.systemCall }
    set { ownFacts.systemCall = newValue }
  }

  /// The system's error number, for example 28, no space left on device.
  public var errorNumber: Int32? {
    get { facts.errorNumber }
    set { ownFacts.errorNumber = newValue }
  }

  /// The error of the layer below.
  public var underlyingError: (any Error)? {
    get { facts.underlyingError }
    set { ownFacts.underlyingError = newValue }
  }

  /// In a class, so that an error is one reference where it is thrown, caught and stored in something else.
  ///
  /// `@unchecked Sendable` is right because facts are changed by ``ownFacts`` only, where nothing else has them.
  private final class Facts: @unchecked Sendable {
    var code: Code
    var message: String
    var advice: String
    var fileURL: URL?
    var key: String?
    var codingPath: [any CodingKey] = []
    var storedType: String?
    var wantedType: String?
    var storedVersion: Int?
    var knownVersion: Int?
    var systemCall: String?
    var errorNumber: Int32?
    var underlyingError: (any Error)?

    init(_ code: Code, _ message: String, _ advice: String) {
      (self.code, self.message, self.advice) = (code, message, advice)
    }

    convenience init(copying other: Facts) {
      self.init(other.code, other.message, other.advice)
      fileURL = other.fileURL
      key = other.key
      codingPath = other.codingPath
      storedType = other.storedType
      wantedType = other.wantedType
      storedVersion = other.storedVersion
      knownVersion = other.knownVersion
      systemCall = other.systemCall
      errorNumber = other.errorNumber
      underlyingError = other.underlyingError
    }
  }

  private var facts: Facts

  /// The facts, to be changed; copied where another error has them, too.
  private var ownFacts: Facts {
    @inline(never) mutating get {
      if !isKnownUniquelyReferenced(&facts) { facts = Facts(copying: facts) }
      return facts
    }
  }

  /// Creates an error from what is known. An argument that is left out is unknown or does not apply. The default advice
  /// is what helps with most errors of this code.
  @inline(never)
  package init(
    _ code: Code,
    _ message: String,
    advice: String? = nil,
    fileURL: URL? = nil,
    key: String? = nil,
    codingPath: [any CodingKey] = [],
    storedType: String? = nil,
    wantedType: String? = nil,
    systemCall: String? = nil,
    errorNumber: Int32? = nil,
    underlyingError: (any Error)? = nil
  ) {
    facts = Facts(code, message, advice ?? code.advice)
    facts.fileURL = fileURL
    facts.key = key
    facts.codingPath = codingPath
    facts.storedType = storedType
    facts.wantedType = wantedType
    facts.systemCall = systemCall
    facts.errorNumber = errorNumber
    facts.underlyingError = underlyingError
  }
}

extension GlobalDataError: CustomStringConvertible {
  /// The whole error in one line: code, message, the facts known beside it, and the advice.
  public var description: String {
    let facts = factTexts.joined(separator: "; ")
    return "\(code): \(message)" + (facts.isEmpty ? "" : " (\(facts))") + ". \(advice)"
  }

  private var factTexts: [String] {
    var facts: [String] = []
    @inline(never)
    func add(_ fact: String) { facts.append(fact) }
    if let systemCall, let errorNumber {
      add("\(systemCall): \(SystemCallError.text(of: errorNumber)), errno \(errorNumber)")
    }
    if let key, !message.contains(key.quoted) { add("key \(key.quoted)") }
    if !codingPath.isEmpty {
      let path = codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue.quotedIfNeeded }
      add("at " + path.joined(separator: "."))
    }
    if let storedType { add("stored: \(storedVersion.map { "version \($0) of " } ?? "")\(storedType)") }
    if let wantedType { add("expected: \(wantedType)") }
    if let knownVersion { add("newest known version: \(knownVersion)") }
    if let fileURL, !message.contains(fileURL.path) { add("file \(fileURL.path)") }
    if let cause { add("cause: \(cause)") }
    return facts
  }

  var cause: String? {
    guard let underlyingError else { return nil }
    var text =
      switch underlyingError {
      case let error as KeyedArchiveError:
        switch error.code {
        // The type and its versions are facts of their own, and the advice is the same.
        case .unregisteredTag where storedType != nil, .newerVersion where knownVersion != nil: ""
        default: error.message
        }
      case DecodingError.typeMismatch(_, let context):
        // What is stored and what is wanted are facts of their own.
        context.underlyingError is StoredMismatch ? "" : context.debugDescription
      case DecodingError.keyNotFound(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        GlobalDataError.text(context.debugDescription, context.underlyingError)
      case EncodingError.invalidValue(_, let context):
        GlobalDataError.text(context.debugDescription, context.underlyingError)
      default: "\(underlyingError)"
      }
    while text.hasSuffix(".") { text.removeLast() }
    return text.isEmpty || message.contains(text) ? nil : text
  }

  private static func text(_ description: String, _ cause: (any Error)?) -> String {
    guard let cause = cause.map({ "\($0)" }), !description.contains(cause) else { return description }
    return description.isEmpty ? cause : "\(description) \(cause)"
  }
}

extension GlobalDataError: LocalizedError {
  /// What failed, and the system's words for it, as a sentence for an alert.
  public var errorDescription: String? {
    message.prefix(1).uppercased() + message.dropFirst() + (failureReason.map { ": \($0)." } ?? ".")
  }

  /// The system's words for the failure, where a system call failed.
  public var failureReason: String? { errorNumber.map(SystemCallError.text(of:)) }

  /// What can be done about it.
  public var recoverySuggestion: String? { advice }
}
