import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// The result of a commit's changes, compared with a list in which each change is searched from the start.
@Suite struct StoreDraftTests {
  /// The same as a draft, in the simplest form.
  private struct Model {
    /// The keys in the order in which they were first set or removed; `nil` for one that was removed.
    var changes: [(key: String, value: String?)] = []
    var clearsOthers = false

    mutating func set(_ value: String, _ key: String) {
      if let place = changes.firstIndex(where: { $0.key == key }) {
        if changes[place].value != nil {
          changes[place].value = value
          return
        }
        changes.remove(at: place)
      }
      changes.append((key, value))
    }

    mutating func remove(_ key: String) {
      if let place = changes.firstIndex(where: { $0.key == key }) {
        changes[place].value = nil
      } else {
        changes.append((key, nil))
      }
    }

    mutating func clear(keeping kept: Set<String>) {
      changes.removeAll { !kept.contains($0.key) }
      clearsOthers = true
    }
  }

  /// Keys that are equal as strings. Keys for one number may have different bytes.
  private func key(_ number: Int, _ random: inout SeededGenerator) -> String {
    let spellings =
      switch number % 4 {
      case 0: ["\(number)é", "\(number)e\u{301}"]
      case 1: ["\(number)K", "\(number)\u{212a}"]  // The second one is the kelvin sign.
      default: ["\(number)"]
      }
    return spellings[random.below(spellings.count)]
  }

  @Test(arguments: [3, 8, 9, 40], 0..<5 as Range<UInt64>)
  func aDraftHoldsTheLastChangeOfEachKey(keyCount: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (draft, model) = (StoreDraft(), Model())
    for step in 0..<400 {
      let key = key(random.below(keyCount), &random)
      if random.below(20) == 0 { draft.reserve(random.below(100)) }
      switch random.below(40) {
      case 0:
        let kept = Set((0..<keyCount / 2).map { self.key($0, &random) })
        draft.clear(keeping: kept)
        model.clear(keeping: kept)
      case 1..<14:
        draft.remove(key)
        model.remove(key)
      default:
        // A key that was set keeps its spelling: a store refuses another one.
        let spelling = if case .set(let entry, _)? = draft[key] { entry.key } else { key }
        draft.set(StoredEntry(key: spelling, value: Data("\(step)".utf8)))
        model.set("\(step)", key)
      }
      try #require(draft.edits.compactMap { $0?.key } == model.changes.map(\.key), "step \(step)")
      for key in (0..<keyCount).map({ self.key($0, &random) }) {
        let expected = model.changes.first { $0.key == key }.map(\.value)
        switch draft[key] {
        case .set(let entry, _): try #require(expected == String(decoding: entry.value, as: UTF8.self))
        case .remove: try #require(expected == .some(nil))
        case nil: try #require(expected == nil)
        }
      }
      #expect(draft.clearsOthers == model.clearsOthers)
    }
  }
}
