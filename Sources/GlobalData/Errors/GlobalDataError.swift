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
    set { facts.code = newValue }
  }

  /// What failed, as a sentence without its full stop; it names the file or key where there is one.
  public var message: String {
    get { facts.message }
    set { facts.message = newValue }
  }

  /// What the user or the developer can do about it, in full sentences.
  public var advice: String {
    get { facts.advice }
    set { facts.advice = newValue }
  }

  /// The file of the store.
  public var fileURL: URL? {
    get { facts.fileURL }
    set { facts.fileURL = newValue }
  }

  /// The key of the entry.
  public var key: String? {
    get { facts.key }
    set { facts.key = newValue }
  }

  /// The path inside the value, from its root to the property or element.
  public var codingPath: [any CodingKey] {
    get { facts.codingPath }
    set { facts.codingPath = newValue }
  }

  /// The type that the file holds, by its type tag or kind of item.
  public var storedType: String? {
    get { facts.storedType }
    set { facts.storedType = newValue }
  }

  /// The type that the caller wanted.
  public var wantedType: String? {
    get { facts.wantedType }
    set { facts.wantedType = newValue }
  }

  /// The version of the stored type, where the failure is about versions.
  public var storedVersion: Int? {
    get { facts.storedVersion }
    set { facts.storedVersion = newValue }
  }

  /// The version of the type that this program knows, where the failure is about versions.
  public var knownVersion: Int? {
    get { facts.knownVersion }
    set { facts.knownVersion = newValue }
  }

  /// The system call that failed, for example `fsync`.
  public var systemCall: String? {
    get { facts.systemCall }
    set { facts.systemCall = newValue }
  }

  /// The system's error number, for example 28, no space left on device.
  public var errorNumber: Int32? {
    get { facts.errorNumber }
    set { facts.errorNumber = newValue }
  }

  /// The error of the layer below.
  public var underlyingError: (any Error)? {
    get { facts.underlyingError }
    set { facts.underlyingError = newValue }
  }

  private struct Facts {
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

  /// An error with what is known; what is left out is unknown or does not apply. The advice is by default the one that
  /// helps with most errors of the code.
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
    box = Box(
      Facts(
        code: code, message: message, advice: advice ?? code.advice, fileURL: fileURL, key: key, codingPath: codingPath,
        storedType: storedType, wantedType: wantedType, systemCall: systemCall, errorNumber: errorNumber,
        underlyingError: underlyingError))
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
    if let systemCall, let errorNumber {
      facts.append("\(systemCall): \(SystemCallError.text(of: errorNumber)), errno \(errorNumber)")
    }
    if let key, !message.contains(key.quoted) { facts.append("key \(key.quoted)") }
    if !codingPath.isEmpty {
      let path = codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue.quotedIfNeeded }
      facts.append("at " + path.joined(separator: "."))
    }
    if let storedType { facts.append("stored: \(storedType)\(storedVersion.map { " version \($0)" } ?? "")") }
    if let wantedType { facts.append("wanted: \(wantedType)") }
    if let knownVersion { facts.append("known up to version \(knownVersion)") }
    if let fileURL, !message.contains(fileURL.path) { facts.append("file \(fileURL.path)") }
    if let cause { facts.append("cause: \(cause)") }
    return facts
  }

  private var cause: String? {
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
