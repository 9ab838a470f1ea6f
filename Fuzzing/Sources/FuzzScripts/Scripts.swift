import Foundation
import FuzzSupport
import GlobalData

// Makes the same calls on the package's coders and on `JSONEncoder` and `JSONDecoder`, as hand-written `encode(to:)` and
// `init(from:)` do. Each call must have the same result.
//
// The bytes of the input decide which values and calls are written, and from the end, how they are read. So a change of
// the first bytes does not change how the values are read.

@main enum ScriptsTarget {
  static func main() {
    Branches.reportAtExit(Run.names + KnownDifference.all.map(\.name))
    exit(fuzz(compare))
  }
}

private let registry: TypeRegistry = {
  let registry = TypeRegistry()
  do {
    try registry.register(Base.self, Derived.self, Versioned.self, Evolved.self)
  } catch {
    finding("the types are not registered: \(error)")
  }
  return registry
}()

private func compare(_ bytes: [UInt8]) {
  var choices = Choices(bytes)
  let form = choices.one(of: Values.forms)
  compare(form.value(Script(choices, path: form.keys)), bytes)
}

private func compare<Value: Codable & Sendable>(_ value: Value, _ bytes: [UInt8]) {
  let (json, archive) = (Run(), Run(isArchive: true))
  let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.userInfo = [.run: json]
  decoder.userInfo = [.run: json]
  let text: Data
  do { text = try encoder.encode(value) } catch { return }  // JSON has no empty values
  let data: Data
  let tree: Data
  do {
    data = try KeyedArchiveEncoder(registry: registry, userInfo: [.run: archive]).encode(value)
    tree = try encoder.encode(KeyedArchiveDecoder(registry: registry).decode(ArchiveValue.self, from: data))
  } catch {
    finding("only the archive throws \(error)\n\(json)")
  }
  json.note("what was written", path: [], String(decoding: text, as: UTF8.self))
  // JSON has an array instead of the only dictionary whose keys are not text.
  let treeText = String(decoding: tree, as: UTF8.self).replacing(#"{"{\"x\": 1}":2}"#, with: #"[{"x":1},2]"#)
  archive.note("what was written", path: [], treeText)
  json.beginReading(Choices(bytes.reversed()))
  archive.beginReading(Choices(bytes.reversed()))
  json.attempt("decode the root", Value.self, []) { Values.text(of: try decoder.decode(Value.self, from: text)) }
  archive.attempt("decode the root", Value.self, []) {
    let decoder = KeyedArchiveDecoder(registry: registry, userInfo: [.run: archive])
    return Values.text(of: try decoder.decode(Value.self, from: data))
  }
  json.expectSame(archive)
}

/// The calls on one format's coders, with their results.
final class Run: @unchecked Sendable, CustomStringConvertible {  // only used by one thread at a time
  enum Form {
    case map
    case array
    case type(any Decodable.Type)

    var type: Any.Type? { if case .type(let type) = self { type } else { nil } }
  }

  struct Call {
    let name: String
    let type: Any.Type?
    let path: String
    /// The part of the path by which the value is found.
    let place: String
    let result: String
    let depth: Int

    var isFailure: Bool { result.hasPrefix("throws ") }

    /// The numbers in the result of the call "index" at the end of an array.
    var index: (index: Int, count: Int)? {
      guard let match = result.wholeMatch(of: #/(\d+) of (\d+) true/#) else { return nil }
      return Int(match.1).flatMap { index in Int(match.2).map { (index, $0) } }
    }
  }

  private let isArchive: Bool
  private var calls: [Call] = []
  /// The calls and decisions with which reading begins.
  private var start: (calls: [Call], choices: Choices) = ([], Choices([]))
  /// What was written at each path.
  private var forms: [String: [Form]] = [:]
  /// The remaining decisions about reading.
  var choices = Choices([])
  private(set) var depth = 0

  static func current(_ info: [CodingUserInfoKey: Any]) -> Run {
    guard let run = info[.run] as? Run else { finding("no user info") }
    return run
  }

  init(isArchive: Bool = false) { self.isArchive = isArchive }

  func begin() { (calls, forms) = ([], [:]) }

  func beginReading(_ choices: Choices) { start = (calls, choices) }

  /// Begins to read, and forgets what was read before.
  func restart() { (calls, choices) = start }

  /// Notes a call that writes something.
  func record(_ name: String, _ form: Form, _ path: [any CodingKey]) {
    forms[Run.place(of: path), default: []].append(form)
    if case .type(let type) = form { note(name, type, path: path) } else { note(name, path: path) }
  }

  /// Stops the program if an archive's encoder or container has another path than it must have.
  ///
  /// `JSONEncoder` loses the path of the container that has returned a super encoder, so the paths are not compared.
  func expect(_ path: [any CodingKey], _ expected: [any CodingKey]) {
    guard isArchive, Run.text(of: path) != Run.text(of: expected) else { return }
    finding("the path is \(Run.text(of: path)), not \(Run.text(of: expected))\n\(self)")
  }

  /// Forgets what was written to a field that is written again.
  func forget(_ path: [any CodingKey]) {
    let place = Run.place(of: path)
    forms = forms.filter { !$0.key.hasPrefix(place) }
  }

  func forms(at path: [any CodingKey]) -> [Form] { forms[Run.place(of: path)] ?? [] }

  func note(_ name: String, _ type: Any.Type? = nil, path: [any CodingKey], _ result: String = "") {
    calls.append(
      Call(name: name, type: type, path: Run.text(of: path), place: Run.place(of: path), result: result, depth: depth))
  }

  /// Notes the result of a call, after the calls that it has made itself.
  func attempt(_ name: String, _ type: Any.Type?, _ path: [any CodingKey], _ body: () throws -> String) {
    depth += 1
    let result: String
    do { result = try body() } catch { result = "throws \(error)" }
    depth -= 1
    note(name, type, path: path, result)
  }

  private static func place(of path: [any CodingKey]) -> String { path.map { $0.stringValue + "/" }.joined() }

  private static func text(of path: [any CodingKey]) -> String {
    path.map { key in
      guard let number = key.intValue else { return "\(key.stringValue)/" }
      return key.stringValue == "Index \(number)" ? "[\(number)]/" : "\(key.stringValue)#\(number)/"
    }.joined()
  }

  var description: String {
    calls.map { call in
      let type = call.type.map { " \($0)" } ?? ""
      return String(repeating: "  ", count: call.depth) + "\(call.name)\(type) at \(call.path): \(call.result)"
    }.joined(separator: "\n")
  }

  /// Stops the program at the first call with another result, unless the difference is known.
  ///
  /// After a known difference, the scripts go on in different ways, so nothing else is compared.
  func expectSame(_ other: Run) {
    for (index, call) in calls.enumerated() {
      guard index < other.calls.count else { finding("the archive's calls end here:\n\(self)") }
      let archived = other.calls[index]
      // Which error is thrown is not compared: of several reasons, the coders find another one first.
      if (call.name, call.path) == (archived.name, archived.path),
        call.isFailure ? archived.isFailure : call.result == archived.result
      {
        if !call.isFailure { Branches.reach(call.name) }
        continue
      }
      // A call that fails only in the archive is compared with the first call that it has made to JSON's decoder.
      let reading = archived.isFailure ? archived : call
      let difference = Difference(
        call: call, archived: archived, previous: index > 0 ? calls[index - 1] : nil, type: reading.type,
        forms: forms[reading.place] ?? [],
        inner: forms.filter { $0.key != reading.place && $0.key.hasPrefix(reading.place) }.flatMap(\.value))
      guard let known = KnownDifference.all.first(where: { $0.explains(difference) }) else {
        finding("call \(index): \(difference)\n\nJSON:\n\(self)\n\nArchive:\n\(other)")
      }
      Branches.reach(known.name)
      return
    }
    if other.calls.count > calls.count { finding("JSON's calls end here:\n\(self)\n\nArchive:\n\(other)") }
  }

  /// The calls that the inputs in the corpus must make with success.
  static let names =
    [
      "open a map", "open an array", "open a super encoder", "open a super encoder as an element", "count",
      "encode a field", "encode a field if present", "encode an element", "encode a single value",
      "encode a scripted value", "encode nil as a field", "encode nil as an element", "encode nil as a single value",
      "what was written", "decoder", "keys", "contains", "index", "superDecoder: field", "superDecoder: element",
    ]
    + ["field", "element", "single value"].flatMap { place in
      ["decode", "decode if present", "decode nil", "map", "array"].map { "\($0): \(place)" }
    }
}

/// Two results of one call.
struct Difference: CustomStringConvertible {
  let call: Run.Call
  let archived: Run.Call
  /// The call before, which had the same result.
  let previous: Run.Call?
  /// The type that is read.
  let type: Any.Type?
  /// What was written where it is read.
  let forms: [Run.Form]
  /// What was written inside of that.
  let inner: [Run.Form]

  var description: String {
    "\(call.name) \(call.type.map { "\($0)" } ?? "") at \(call.path): JSON \(call.result), archive \(archived.result)"
  }

  /// Whether a type or an optional of it was written there.
  func isWritten(_ type: Any.Type) -> Bool {
    forms.contains { form in form.type.map { ["\(type)", "Optional<\(type)>"].contains("\($0)") } ?? false }
  }

  /// Whether a type was written there, or also inside of that, whose description contains a pattern.
  func isWritten(_ pattern: some RegexComponent, orInside: Bool = false) -> Bool {
    (orInside ? forms + inner : forms).contains { form in
      form.type.map { "\($0)".contains(pattern) } ?? false
    }
  }

  var isFailureOfArchive: Bool { archived.isFailure && !call.isFailure }

  /// Whether the call asks for the type that has written the value, and so has to read it.
  var isSameType: Bool { type != nil && type == forms.first?.type }
}

/// A difference from JSON that the package accepts. The comparison of an input ends with it.
///
/// Scripts do not make the calls at which `JSONEncoder` stops the program, and do not continue the container of a
/// dictionary, an instance or a versioned value, which the package refuses: see `Slot`.
struct KnownDifference {
  let name: String
  let explains: @Sendable (Difference) -> Bool

  static let all: [KnownDifference] = [
    // The name of a version, a subclass or a special form decides which type a value is read as.
    KnownDifference(name: "a value with another type's name") {
      $0.isWritten(#/Versioned|Evolved|Base|Derived/#, orInside: true) && $0.isFailureOfArchive
        && $0.archived.result.contains("found a value of type") && !$0.archived.result.contains("of type Optional")
        && !$0.isSameType && $0.type != Skipped.self
    },
    // A type that reads nothing skips an element or a field, but no whole entry.
    KnownDifference(name: "an entry that is skipped") { $0.type == Skipped.self && $0.call.path.isEmpty },
    // A nil with a name is a value, so that Int??.some(nil) and a versioned nil are not read as the outer nil.
    // The same is true of an optional value that writes nil itself.
    KnownDifference(name: "a nil with a name") {
      guard $0.isWritten(#/Versioned|Evolved|Base|Derived|Optional<(Optional|Plain|Single|Delegating)/#)
      else { return false }
      let results = ($0.call.result, $0.archived.result)
      if $0.call.name.hasPrefix("decode nil") { return results == ("true", "false") }
      return results.0 == "nil" && !$0.archived.isFailure
    },
    // Only an optional with one level less reads an inner nil as its nil. `decodeIfPresent` of an unkeyed container is
    // the standard library's, which looks for the outer nil only.
    KnownDifference(name: "an inner nil as that of another type") { difference in
      difference.isWritten(#/Optional<Optional</#)
        && difference.archived.result.contains("found a value of type Optional")
        && (!([Int??.self, [String]??.self] as [Any.Type]).contains { $0 == difference.forms.first?.type }
          || difference.call.name == "decode if present: element")
    },
    // JSON has numbers and text only. An archive distinguishes them from dates and bytes.
    KnownDifference(name: "a date or bytes") { difference in
      difference.isFailureOfArchive && !difference.isSameType && difference.type != Skipped.self
        && (difference.isWritten(#/Date\b|Data\b/#)
          || difference.type.map { "\($0)".contains(#/Date\b|Data\b/#) } ?? false)
    },
    // In a dictionary, a text is read as an integer key, but an integer key not as text.
    KnownDifference(name: "an integer key as text") {
      $0.archived.result.contains("Expected String, but found the integer 7")
    },
    // `JSONDecoder` rounds. An archive refuses a number that the type cannot hold exactly.
    KnownDifference(name: "a number that would be rounded") {
      $0.isWritten(UInt64.self) && $0.type == Double.self && $0.isFailureOfArchive
    },
    // JSON has only text as keys, so that other dictionaries are arrays. An archive has any keys.
    KnownDifference(name: "a dictionary with keys that are not text") { difference in
      difference.isWritten([Point: Int].self) && difference.call.isFailure != difference.archived.isFailure
        && (difference.type.map { type in Values.others.contains { $0 == type } }
          ?? (difference.call.name != "decoder"))
    },
    // `JSONDecoder` returns a decoder of null. The protocol says that a missing value is an error.
    KnownDifference(name: "superDecoder of a missing field") {
      $0.archived.name == "superDecoder: field" && $0.isFailureOfArchive && $0.previous?.name == "contains"
        && $0.previous?.result.hasSuffix(" false") == true
    },
    // `decodeIfPresent` of `JSONDecoder` advances past the end.
    KnownDifference(name: "the index past the end") {
      guard $0.call.name == "index", let json = $0.call.index, let archive = $0.archived.index else { return false }
      return json.count == archive.count && archive.index == archive.count && json.index > json.count
    },
  ]
}

extension CodingUserInfoKey {
  fileprivate static var run: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "run") else { preconditionFailure("never fails") }
    return key
  }
}
