import Foundation
import GlobalData
import KeyedArchive

/// Collects findings while an archive is read.
struct ImportFindings {
  /// The fields of the archived objects, and those that the types requested, by class.
  private var stored: [String: Set<String>] = [:]
  private var read: [String: Set<String>] = [:]
  private(set) var conversions: [ImportReport.Conversion] = []
  /// The indices of the conversions. A file may have a different class for each of its objects.
  private var conversionIndices: [[String]: Int] = [:]

  mutating func noteFields(_ names: some Sequence<String>, of className: String) {
    stored[className, default: []].formUnion(names)
  }

  mutating func noteRead(_ name: String, of className: String) {
    read[className, default: []].insert(name)
  }

  /// Records a conversion of a value; the same conversion is listed once, with the number of values.
  mutating func noteConversion(of stored: String, to imported: String, count: Int = 1) {
    if let index = conversionIndices[[stored, imported]] {
      conversions[index].count += count
    } else {
      conversionIndices[[stored, imported]] = conversions.count
      conversions.append(ImportReport.Conversion(stored: stored, imported: imported, count: count))
    }
  }

  /// The number of references back to an enclosing object that became null.
  private(set) var cutReferences = 0

  mutating func noteCutReference(to className: String) {
    cutReferences += 1
    noteConversion(of: "reference back to \(className)", to: "null")
  }

  mutating func merge(_ other: ImportFindings) {
    stored.merge(other.stored) { $0.union($1) }
    read.merge(other.read) { $0.union($1) }
    for conversion in other.conversions {
      noteConversion(of: conversion.stored, to: conversion.imported, count: conversion.count)
    }
  }

  /// The fields that no type requested, by class, in alphabetical order.
  var unreadFields: [String: [String]] {
    stored.reduce(into: [:]) { result, entry in
      let unread = entry.value.subtracting(read[entry.key] ?? [])
      if !unread.isEmpty { result[entry.key] = unread.sorted() }
    }
  }
}

struct ImportFailure: Error, CustomStringConvertible {
  /// A sentence without its beginning and its period: "it is …".
  var message: String
  var advice: String?
  var path: [any CodingKey] = []
  /// The archived class that caused the failure, if any.
  var className: String?
  /// Whether the failure is an unknown form of an object of a known class. Such an object can still become a tree.
  var isUnknownForm = false

  var description: String { message }

  /// The failure as the error that a type's `init(from:)` expects from its decoder.
  var decodingError: DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: message, underlyingError: self))
  }

  static func unmapped(_ type: ArchivedClass, at path: [any CodingKey]) -> ImportFailure {
    ImportFailure(
      message: "it holds an object of the class \(type.name.quoted), which the class map does not name",
      advice:
        "Add \(type.name.quoted) to the class map with the type to read it as, keep unknown classes as trees, or skip "
        + "unreadable values.",
      path: path, className: type.name)
  }

  static func cycle(of kind: String, from path: [any CodingKey], to ancestor: [any CodingKey]) -> ImportFailure {
    let place = ancestor.isEmpty ? "the top-level value" : ancestor.pathDescription
    return ImportFailure(
      message: "an object of the class \(kind.quoted) contains itself: this is \(place) again",
      advice:
        "Remove the property that refers back, such as a parent or delegate, from the type and set it after the import.",
      path: path, className: kind)
  }

  static func tooDeep(_ limit: Int, at path: [any CodingKey]) -> ImportFailure {
    ImportFailure(
      message: "its objects are nested more than \(limit) levels deep",
      advice: GlobalDataError.depthAdvice, path: Array(path.prefix(8)))
  }

  static func doubleKey(_ key: String, at path: [any CodingKey]) -> ImportFailure {
    ImportFailure(
      message: "a dictionary has the key \(key.prefix(80).quoted) twice, possibly in another Unicode form",
      path: path)
  }

  static func malformed(_ message: String, at path: [any CodingKey] = []) -> ImportFailure {
    ImportFailure(message: message, advice: "Check the file: it is damaged, or has another format.", path: path)
  }
}
