@_weakLinked import Foundation
package import KeyedArchive

/// IndexSet: the fields of its own `encode(to:)`. The code below reads them because `init(from:)` traps on invalid
/// ranges.
extension IndexSet: RarelyDecodable {
  package init(stored decoder: ValueDecoder) throws {
    self.init()
    var least = 0
    try StoredFields(["indexes"], of: decoder).forEachObject("indexes", with: ["location", "length"]) { span in
      let (location, length) = (try span.int("location"), try span.int("length"))
      // Requires ascending order, as in the written form. Foundation also traps when it merges large ranges.
      let (end, isTooLarge) = location.addingReportingOverflow(length)
      guard location >= least, length > 0, !isTooLarge else {
        throw ItemError.malformed(
          "An index set cannot have a range of \(length) indices from \(location) on after those below \(least).")
      }
      insert(integersIn: location..<end)
      least = end
    }
  }
}
