import CodingSupport
public import FoundationCore

/// An error thrown by a store.
///
/// An error describes what failed, for which file, key and value, why, and what to do about it.
///
/// A missing value is never an error. Reading one returns `nil`. Unless the documentation of a code says otherwise, a
/// call that throws leaves the store and its file unchanged.
///
/// ```swift
/// do {
///   try await GlobalData.set(car, forKey: "car")
/// } catch let error as GlobalDataError where error.code == .writeFailed {
///   show(error.message, error.advice)
/// }
/// ```
public struct GlobalDataError: Error {
  /// The kind of failure, for use in code that handles errors.
  public var code: Code { storage.facts.code }

  /// A description of the failure, as a sentence without its final period.
  ///
  /// The message names the file or key if there is one.
  public var message: String { storage.facts.message }

  /// Advice for the user or the developer, in full sentences.
  public var advice: String { storage.facts.advice }

  /// The file of the store.
  public var fileURL: URL? { storage.facts.fileURL }

  /// The key of the entry.
  public var key: String? { storage.facts.key }

  /// The path inside the value, from its root to the property or element.
  public var codingPath: [any CodingKey] { storage.facts.codingPath }

  /// The type of the stored value, given as its type tag or kind of item.
  public var storedType: String? { storage.facts.storedType }

  /// The type that the caller requested.
  public var wantedType: String? { storage.facts.wantedType }

  /// The version of the stored type, if the failure is about versions.
  public var storedVersion: Int? { storage.facts.storedVersion }

  /// The newest version of the type that this program supports, if the failure is about versions.
  public var knownVersion: Int? { storage.facts.knownVersion }

  /// The system call that failed, for example `fsync`.
  public var systemCall: String? { storage.facts.systemCall }

  /// The system's error number, for example 28 for "No space left on device".
  public var errorNumber: Int32? { storage.facts.errorNumber }

  /// The error from the layer below.
  public var underlyingError: (any Error)? { storage.facts.underlyingError }

  /// The properties of an error, which can be changed before there is an error.
  struct Facts {
    var code: Code
    var message: String
    var advice: String
    var fileURL: URL?
    var key: String?
    var codingPath: [any CodingKey]
    var storedType: String?
    var wantedType: String?
    var storedVersion: Int?
    var knownVersion: Int?
    var systemCall: String?
    var errorNumber: Int32?
    var underlyingError: (any Error)?
  }

  /// The storage of an error. It is a class, so that an error is a single reference when it is thrown, caught or stored
  /// in another value.
  private final class Storage: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private let storage: Storage

  var facts: Facts { storage.facts }

  init(_ facts: Facts) { storage = Storage(facts) }

  /// Returns the error with other advice.
  package func advising(_ advice: String) -> Self {
    var facts = facts
    facts.advice = advice
    return Self(facts)
  }

  /// Creates an error from the known facts.
  ///
  /// Omit an argument that is unknown or does not apply. The default advice suits most errors with the code.
  @inline(never)
  package init(
    _ code: Code, _ message: String, advice: String? = nil, fileURL: URL? = nil, key: String? = nil,
    codingPath: [any CodingKey] = [], storedType: String? = nil, wantedType: String? = nil,
    systemCall: String? = nil, errorNumber: Int32? = nil, underlyingError: (any Error)? = nil
  ) {
    self.init(
      Facts(
        code: code, message: message, advice: advice ?? code.advice, fileURL: fileURL, key: key, codingPath: codingPath,
        storedType: storedType, wantedType: wantedType, systemCall: systemCall, errorNumber: errorNumber,
        underlyingError: underlyingError))
  }
}

extension GlobalDataError: CustomStringConvertible {
  /// The whole error in one line: its code, its message, any other known facts, and its advice.
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
    if !codingPath.isEmpty { add("at " + codingPath.pathDescription) }
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
        // The description already lists the type and its versions, and the advice is the same.
        case .unregisteredTag where storedType != nil, .newerVersion where knownVersion != nil: ""
        default: error.message
        }
      case DecodingError.typeMismatch(let type, let context):
        // The description already lists the stored and the requested type.
        context.underlyingError is StoredMismatch
          ? "" : GlobalDataError.text(context.debugDescription, about: TypeRegistry.shared.tag(for: type).name)
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

  private static func text(_ description: String, about type: String) -> String {
    description.contains(type) ? description : "\(type): \(description)"
  }

  private static func text(_ description: String, _ cause: (any Error)?) -> String {
    // A mismatch repeats the end of the description.
    guard !(cause is StoredMismatch), let cause = cause.map({ "\($0)" }), !description.contains(cause) else {
      return description
    }
    return description.isEmpty ? cause : "\(description) \(cause)"
  }
}

extension GlobalDataError: LocalizedError {
  /// A description of the failure and the system's reason for it, as a sentence for an alert.
  public var errorDescription: String? {
    message.prefix(1).uppercased() + message.dropFirst() + (failureReason.map { ": \($0)." } ?? ".")
  }

  /// The system's description of the failure, if a system call failed.
  public var failureReason: String? { errorNumber.map(SystemCallError.text(of:)) }

  /// Advice for the user or the developer.
  public var recoverySuggestion: String? { advice }
}
