import CodingSupport
import Dispatch
import FoundationCore
import KeyedArchive

extension StoreMemory {
  /// Returns the values under the keys with a prefix, which ends at its first slash. Leaves out values that cannot be
  /// read, and calls `onFailure` for each.
  ///
  /// They stand in one array, which is kept. Takes O(1) where nothing has changed since they were last read; O(*m*),
  /// and decoding, where *m* values were set or added; O(*n*) in the number of all where values were removed, or where
  /// somebody has the array from before.
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
    if slices.decodeAll() {
      let all = try withContentsAndCache { _, cache in
        cache.keep(&slices.values, after: &known, of: reading, withPrefix: prefix, reuse)
      }
      if let all { return all }
    }
    // One by one: some cannot be read or kept, or others have changed something meanwhile.
    var unreadable: [Int] = []
    for (index, position) in reading.outdated.enumerated() {
      do {
        guard let value = try value(type, at: index, of: reading, configuration, reuse) else { continue }
        if position < reading.knownCount { known[position] = value } else { known.append(value) }
      } catch {
        if position < reading.knownCount { unreadable.insertInOrder(position) }
        onFailure(reading.keys[position], error)
      }
    }
    known.remove(atSorted: unreadable)
    return known
  }

  private func value<Value: Codable>(
    _ type: Value.Type, at index: Int, of reading: ElementReading, _ configuration: GlobalData.Configuration,
    _ reuse: Reuse
  ) throws -> Value? {
    if let value = reading.single(at: index)?.value(type) { return value }
    return try reading.entry(at: index, in: reading.contents).map { try decode(type, $0, configuration, reuse).value }
  }
}

/// What of a collection is to be decoded: all in the state of one moment.
final class ElementReading: Sendable {
  let keys: [String]
  /// The first elements are in an array, as they were when they were last read.
  let knownCount: Int
  /// The positions of those of them that have another value since, and then of those that are not known, in order.
  let outdated: [Int]
  /// Those of them that were decoded by themselves, if any; else empty.
  let singles: [Remembered?]
  /// Theirs, where they are few: then the contents are not held, and whoever changes them need not copy them. Else
  /// empty.
  let entries: [StoredEntry?]
  let contents: StoreContents?
  /// That of the cache.
  let version: UInt64

  init(
    keys: [String], knownCount: Int, outdated: [Int], singles: [Remembered?], entries: [StoredEntry?],
    contents: StoreContents?, version: UInt64
  ) {
    (self.keys, self.knownCount, self.outdated) = (keys, knownCount, outdated)
    (self.singles, self.entries, self.contents, self.version) = (singles, entries, contents, version)
  }

  func single(at index: Int) -> Remembered? { singles.isEmpty ? nil : singles[index] }

  /// For several of them, `contents` is taken once: taking it counts a reference for each of its parts.
  func entry(at index: Int, in contents: StoreContents?) -> StoredEntry? {
    guard let contents else { return entries[index] }
    return contents[keys[outdated[index]]]
  }

  /// The encoded value of one of them.
  func content(at index: Int, in contents: StoreContents?) -> SharedBytes? {
    guard let contents else { return entries[index]?.content }
    return contents.content(forKey: keys[outdated[index]])
  }
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
    // Few are decoded sooner than another thread is awake. More slices than there are processors, since others may keep
    // one of those busy.
    let most = reuse == .anywhere ? reading.outdated.count / 128 : 1
    let count = most > 1 ? min(most, 4 * ProcessInfo.processInfo.activeProcessorCount) : 1
    values = Array(repeating: [], count: count)
  }

  /// Returns whether all values could be made, and may stand for what later decodings would give.
  func decodeAll() -> Bool {
    let count = values.count
    guard count > 1 else {
      perform(0)
      return areAllKeepable
    }
    let work: any SlicedWork = self
    DispatchQueue.concurrentPerform(iterations: count) { work.perform($0) }
    return areAllKeepable
  }

  func perform(_ slice: Int) {
    let (all, count) = (reading.outdated.count, lock.withLock { values.count })
    let range = all * slice / count..<all * (slice + 1) / count
    var decoded: [Value] = []
    decoded.reserveCapacity(range.count)
    let contents = reading.contents
    let series = DecodingSeries(
      KeyedArchiveDecoder(registry: configuration.registry, limits: configuration.limits))
    while decoded.count < range.count {
      if reading.singles.isEmpty {
        series.decode(Value.self, to: &decoded) { count in
          count < range.count ? reading.content(at: range.lowerBound + count, in: contents) : nil
        }
      }
      guard decoded.count < range.count, let value = value(at: range.lowerBound + decoded.count, in: contents) else {
        break
      }
      decoded.append(value)
    }
    lock.withLock {
      values[slice] = decoded
      if decoded.count < range.count { areAllKeepable = false }
    }
  }

  private func value(at index: Int, in contents: StoreContents?) -> Value? {
    if let value = reading.single(at: index)?.value(Value.self) { return value }
    do {
      let decoded = try reading.entry(at: index, in: contents)?.decode(Value.self, configuration, in: url)
      guard let (value, isRepeatable) = decoded, isRepeatable else { return nil }
      return value
    } catch {
      // The element is decoded again on the caller's thread, and any error is reported there: some types can be made
      // only on the main actor.
      return nil
    }
  }
}
