import CodingSupport
import FoundationCore

extension StoredEntry {
  /// Creates an entry from a key and a value that a closure encodes.
  ///
  /// `memory` is for entries that are made one after the other, to be stored together.
  ///
  /// `dynamic` saves about 10 KB, because it keeps the compiler from copying the initializer for each closure.
  dynamic init(
    key: String, _ encoder: KeyedArchiveEncoder, in url: URL?, _ memory: RecordMemory? = nil,
    encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
  ) throws {
    try StoredEntry.check(key, encoder.limits)
    do {
      var entry: StoredEntry?
      try encode(encoder) { item in
        entry = item.withUnsafeBytes {
          StoredEntry(key: key, content: $0, sharesInstances: item.sharesInstances, memory)
        }
      }
      guard let entry else { preconditionFailure("a value that was encoded without an error has an entry") }
      self = entry
    } catch {
      throw GlobalDataError.encoding(error, key: key, in: url)
    }
  }

  /// Creates an entry from a key and a value that a closure encodes.
  init(
    key: String, _ configuration: GlobalData.Configuration, in url: URL?,
    encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
  ) throws {
    try self.init(
      key: key, KeyedArchiveEncoder(registry: configuration.registry, limits: configuration.limits), in: url,
      encode: encode)
  }

  /// Decodes the value as the type that it was set with.
  func object(_ configuration: GlobalData.Configuration, in url: URL?) throws -> (any Sendable)? {
    do {
      return try decoder(configuration).decode(from: content)
    } catch {
      throw GlobalDataError.decoding(error, key: key, of: self, wanted: nil, in: url)
    }
  }

  /// Decodes the value as a type, and returns whether later reads may reuse the result.
  func decode<Value: Codable>(
    _ type: Value.Type, _ configuration: GlobalData.Configuration, in url: URL?
  ) throws -> (value: Value, isRepeatable: Bool) {
    do {
      return try decoder(configuration).decodeNotingRepeatability(type, from: content)
    } catch {
      throw GlobalDataError.decoding(error, key: key, of: self, wanted: type, in: url)
    }
  }

  /// Throws an error if the key may not be stored in a file.
  @inline(never)
  static func check(_ key: String, _ limits: ArchiveLimits) throws(GlobalDataError) {
    let length = key.utf8.count
    let limit = min(limits.maximumKeyLength, StepRecord.longestKey)
    guard length > 0 else {
      throw .invalidKey("a key is empty", key, advice: "Use a key of 1 to \(limit) bytes of UTF-8.")
    }
    guard length <= limit else {
      throw .invalidKey(
        "a key has \(length) bytes; the limit is \(limit)", key,
        advice: limit < StepRecord.longestKey
          ? "Use a shorter key or raise maximumKeyLength in the store's limits." : "Use a shorter key.")
    }
    var text = key
    let hasLongRun = length >= ZeroRuns.limit && text.withUTF8 { ZeroRuns.areLong(in: UnsafeRawBufferPointer($0)) }
    guard !hasLongRun else {
      throw .invalidKey(
        "a key has \(ZeroRuns.limit) or more NUL characters in a row", key,
        advice: "Remove the NUL characters from the key.")
    }
  }

  @inline(never)
  private func decoder(_ configuration: GlobalData.Configuration) -> KeyedArchiveDecoder {
    KeyedArchiveDecoder(registry: configuration.registry, limits: configuration.limits)
  }
}

func isNil<Value: Codable>(_ value: Value) -> Bool {
  // These types are not optionals, and the cast below takes as long as encoding a short text.
  if SelfDescribingScalars.contains(Value.self) { return false }
  return (value as? any PossiblyNil)?.isNil ?? false
}

extension GlobalDataError {
  /// Returns the error for a key that may not be stored. The key may be long, so the error contains its beginning only.
  @inline(never)
  fileprivate static func invalidKey(_ message: String, _ key: String, advice: String) -> GlobalDataError {
    GlobalDataError(.invalidKey, message, advice: advice, key: String(key.prefix(80)))
  }
}
