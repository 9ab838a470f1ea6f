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
