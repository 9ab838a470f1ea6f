import CodingSupport
import Dispatch
import FoundationCore
import KeyedArchive

extension StoreMemory {
  /// Returns the values under the keys with a prefix, which ends at its first slash. Omits values that cannot be read,
  /// and calls `onFailure` for each of them.
  ///
  /// The values are in one array, which is kept. Takes O(1) if nothing has changed since the values were last read.
  /// Takes O(*m*), plus decoding, if *m* values were set or added. Takes O(*n*) in the number of all values if values
  /// were removed, or if other code still has the previous array.
  func elements<Value: Codable>(
    _ type: Value.Type, withPrefix prefix: String, _ configuration: GlobalData.Configuration, _ reuse: Reuse,
    onFailure: (String, any Error) -> Void
  ) throws -> [Value] {
    var known: [Value] = []
    let reading = try withContentsAndCache { contents, cache in
      known = cache.elements(type, withPrefix: prefix, in: contents)
      return cache.reading(ObjectIdentifier(type), after: known.count, withPrefix: prefix, in: contents)
    }
    guard !reading.outdated.isEmpty else { return known }
    let slices = ElementSlices<Value>(reading, configuration, location.url, reuse)
    if reuse.isAllowedHere, slices.decodeAll() {
      let all = try withContentsAndCache { contents, cache in
        cache.keep(&slices.values, after: &known, of: reading, withPrefix: prefix, in: contents, reuse)
      }
      if let all { return all }
    }
    // Decode the values one by one. Some cannot be read or kept, or other threads have changed something in the
    // meantime.
    var unreadable: [Int] = []
    for (index, position) in reading.outdated.enumerated() {
      do {
        guard let value = try value(type, at: index, of: reading, configuration, reuse) else { continue }
        if position < reading.knownCount { known[position] = value } else { known.append(value) }
      } catch {
        if position < reading.knownCount { unreadable.append(position) }
        onFailure(reading.keys[position], error)
      }
    }
    known.remove(atSorted: sortedNumbers(unreadable, by: <))
    return known
  }

  private func value<Value: Codable>(
    _ type: Value.Type, at index: Int, of reading: ElementReading, _ configuration: GlobalData.Configuration,
    _ reuse: Reuse
  ) throws -> Value? {
    if let value = reading.single(at: index)?.value(type) { return value }
    return try reading.contents[reading.key(at: index)].map { try decode(type, $0, configuration, reuse).value }
  }
}

/// The elements of a collection that must be decoded, all in the state of one moment.
struct ElementReading: Sendable {
  let keys: [String]
  /// The number of first elements that are already in an array, as they were when they were last read.
  let knownCount: Int
  /// The positions of the known elements whose values have changed since, followed by the positions of the unknown
  /// elements in order.
  let outdated: [Int]
  /// The values of outdated elements that were decoded by themselves. Empty if there are no such values.
  let singles: [Remembered?]
  let contents: StoreContents

  func single(at index: Int) -> Remembered? { singles.isEmpty ? nil : singles[index] }

  func key(at index: Int) -> String { keys[outdated[index]] }
}

private protocol SlicedWork: Sendable {
  func perform(_ slice: Int)
}

/// Elements that several threads decode. `@unchecked` is safe because only a `Sendable` type (``Reuse/anywhere``) has
/// more than one slice, and each thread takes the lock to store its result.
private final class ElementSlices<Value: Codable>: SlicedWork, @unchecked Sendable {
  private let reading: ElementReading
  private let configuration: GlobalData.Configuration
  private let url: URL?
  private let lock = SystemLock()
  var values: [[Value]]
  private var areAllKeepable = true

  init(_ reading: ElementReading, _ configuration: GlobalData.Configuration, _ url: URL?, _ reuse: Reuse) {
    (self.reading, self.configuration, self.url) = (reading, configuration, url)
    // A few elements are decoded before another thread wakes up. There are more slices than processors, because other
    // work may keep a processor busy.
    let most = reuse == .anywhere ? reading.outdated.count / 128 : 1
    let count = most > 1 ? min(most, 4 * ProcessInfo.processInfo.activeProcessorCount) : 1
    values = Array(repeating: [], count: count)
  }

  /// Decodes all elements. Returns whether every value could be decoded and may be reused in place of later decodings.
  func decodeAll() -> Bool {
    let count = values.count
    guard count > 1 else {
      perform(0)
      return areAllKeepable
    }
    let work: any SlicedWork = self
    let store = GlobalData.replacement
    DispatchQueue.concurrentPerform(iterations: count) { slice in
      // Other threads do not inherit the store that the type's own code may use.
      GlobalData.$replacement.withValue(store) { work.perform(slice) }
    }
    return areAllKeepable
  }

  func perform(_ slice: Int) {
    let (all, count) = (reading.outdated.count, lock.withLock { values.count })
    let range = all * slice / count..<all * (slice + 1) / count
    var decoded: [Value] = []
    decoded.reserveCapacity(range.count)
    // Read the property only once, because each read counts a reference for each part of the table.
    let entries = reading.contents.entries
    let series = DecodingSeries(KeyedArchiveDecoder(registry: configuration.registry, limits: configuration.limits))
    while decoded.count < range.count {
      if reading.singles.isEmpty {
        series.decode(Value.self, to: &decoded) { count in
          count < range.count ? entries.content(forKey: reading.key(at: range.lowerBound + count)) : nil
        }
      }
      guard decoded.count < range.count, let value = value(at: range.lowerBound + decoded.count, in: entries) else {
        break
      }
      decoded.append(value)
    }
    lock.withLock {
      values[slice] = decoded
      if decoded.count < range.count { areAllKeepable = false }
    }
  }

  private func value(at index: Int, in entries: EntryTable) -> Value? {
    if let value = reading.single(at: index)?.value(Value.self) { return value }
    do {
      let decoded = try entries[reading.key(at: index)]?.decode(Value.self, configuration, in: url)
      guard let (value, isRepeatable) = decoded, isRepeatable else { return nil }
      return value
    } catch {
      // The element is decoded again on the caller's thread, and any error is reported there, because some types can be
      // created only on the main actor.
      return nil
    }
  }
}
