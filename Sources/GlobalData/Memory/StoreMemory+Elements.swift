import CodingSupport
import Dispatch
import FoundationCore

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
    var reading = try withContentsAndCache { contents, cache in
      cache.reading(type, withPrefix: prefix, in: contents)
    }
    guard !reading.outdated.isEmpty else { return reading.known }
    var decoded = reading.decode(configuration, in: location.url, reuse)
    if decoded.areAllKeepable {
      let all = try withContentsAndCache { _, cache in
        cache.keep(&decoded, of: &reading, withPrefix: prefix, reuse)
      }
      if let all { return all }
    } else {
      // One by one, so that the others need not be decoded again.
      try withContentsAndCache { contents, cache in
        decoded.visit { index, element in
          guard case .repeatable(let value) = element, let entry = reading.entry(at: index) else { return }
          cache.remember(value, of: entry, in: contents, reuse)
        }
      }
    }
    return reading.merge(decoded, onFailure)
  }
}

/// What of a collection is to be read: all in the state of one moment.
struct ElementReading<Value> {
  /// The first elements, as they were when they were last read.
  var known: [Value]
  /// Those that have another value since, and those that are not known, in order.
  let outdated: [(position: Int, key: String)]
  /// Those of them that were decoded by themselves, if any; else empty.
  let single: [Value?]
  /// Of those that are outdated, where they are few: then the contents need not be held, and whoever changes them need
  /// not copy them. Else empty.
  let entries: [StoredEntry?]
  let contents: StoreContents?
  /// That of the cache.
  let version: UInt64

  func entry(at index: Int) -> StoredEntry? {
    entries.isEmpty ? contents?[outdated[index].key] : entries[index]
  }

  /// Returns all elements that can be read.
  func merge(_ decoded: DecodedElements<Value>, _ onFailure: (String, any Error) -> Void) -> [Value] {
    var values = known
    var unreadable: [Int] = []
    decoded.visit { index, element in
      let (position, key) = outdated[index]
      switch element {
      case .repeatable(let value), .unrepeatable(let value):
        if position < known.count { values[position] = value } else { values.append(value) }
      case .unreadable(let error):
        if position < known.count { unreadable.append(position) }
        onFailure(key, error)
      case .gone: break  // not in contents that do not change
      }
    }
    values.remove(atSorted: unreadable)
    return values
  }
}

enum DecodedElement<Value> {
  /// It may stand for what later decodings would give.
  case repeatable(Value)
  case unrepeatable(Value)
  case unreadable(any Error)
  case gone
}

/// The elements that were outdated, in slices, each of which one thread has decoded.
struct DecodedElements<Value> {
  fileprivate var slices: [DecodedSlice<Value>]

  fileprivate var areAllKeepable: Bool { slices.allSatisfy(\.areAllKeepable) }

  /// The function gets the indices from 0 on.
  func visit(_ body: (_ index: Int, DecodedElement<Value>) -> Void) {
    var index = 0
    for slice in slices {
      for element in slice.elements {
        body(index, element)
        index += 1
      }
    }
  }
}

extension DecodedElements {
  /// Calls a function with each value that may be kept, for it to take or replace.
  mutating func moveAll(_ body: (_ index: Int, inout Value) -> Void) {
    var index = 0
    for slice in slices.indices {
      for place in slices[slice].elements.indices {
        guard case .repeatable(var value) = slices[slice].elements[place] else { continue }
        slices[slice].elements[place] = .gone
        body(index, &value)
        slices[slice].elements[place] = .repeatable(value)
        index += 1
      }
    }
  }
}

struct DecodedSlice<Value> {
  fileprivate(set) var elements: [DecodedElement<Value>] = []
  fileprivate var areAllKeepable = true
}

// MARK: Decoding

extension ElementReading where Value: Codable {
  fileprivate func decode(
    _ configuration: GlobalData.Configuration, in url: URL?, _ reuse: Reuse
  ) -> DecodedElements<Value> {
    let slices = ElementSlices(self, configuration, url, reuse)
    slices.decodeAll()
    return DecodedElements(slices: slices.results)
  }

  fileprivate func decode(
    at index: Int, _ configuration: GlobalData.Configuration, _ url: URL?
  ) -> DecodedElement<Value> {
    if !single.isEmpty, let value = single[index] { return .repeatable(value) }
    guard let entry = entry(at: index) else { return .gone }
    do {
      let (value, isRepeatable) = try entry.decode(Value.self, configuration, in: url)
      return isRepeatable ? .repeatable(value) : .unrepeatable(value)
    } catch {
      return .unreadable(error)
    }
  }
}

private protocol SlicedWork: Sendable {
  func perform(_ slice: Int)
}

/// Elements that several threads decode. `@unchecked` is right because there is more than one slice only for a type that
/// is `Sendable` (``Reuse/anywhere``), and each thread takes the lock to leave its result.
private final class ElementSlices<Value: Codable>: SlicedWork, @unchecked Sendable {
  /// Fewer are decoded sooner than another thread is awake.
  private static var shortest: Int { 128 }

  private let reading: ElementReading<Value>
  private let configuration: GlobalData.Configuration
  private let url: URL?
  private let count: Int
  private let lock = SystemLock()
  private(set) var results: [DecodedSlice<Value>]

  init(_ reading: ElementReading<Value>, _ configuration: GlobalData.Configuration, _ url: URL?, _ reuse: Reuse) {
    (self.reading, self.configuration, self.url) = (reading, configuration, url)
    let most = reuse == .anywhere ? reading.outdated.count / Self.shortest : 1
    // More than there are processors, since others may keep one of those busy.
    count = most > 1 ? min(most, 4 * ProcessInfo.processInfo.activeProcessorCount) : 1
    results = Array(repeating: DecodedSlice(), count: count)
  }

  func decodeAll() {
    guard count > 1 else { return perform(0) }
    let work: any SlicedWork = self
    DispatchQueue.concurrentPerform(iterations: count) { work.perform($0) }
    // A type may be known on the main actor only, which may be here.
    for slice in results.indices where !results[slice].areAllKeepable { perform(slice) }
  }

  func perform(_ slice: Int) {
    let (start, end) = (reading.outdated.count * slice / count, reading.outdated.count * (slice + 1) / count)
    var result = DecodedSlice<Value>()
    result.elements.reserveCapacity(end - start)
    for index in start..<end {
      let element = reading.decode(at: index, configuration, url)
      if case .repeatable = element {} else { result.areAllKeepable = false }
      result.elements.append(element)
    }
    lock.withLock { results[slice] = result }
  }
}
