import KeyedArchive

extension StoredEntry {
  /// Refuses the keys that no file may hold.
  static func check(_ key: String, _ limits: ArchiveLimits) throws(GlobalDataError) {
    let length = key.utf8.count
    guard length > 0 else { throw GlobalDataError(.invalidKey, "a key is empty", key: key) }
    guard length <= limits.maximumKeyLength else {
      throw GlobalDataError(
        .invalidKey,
        "a key has \(length) bytes; the limit is \(limits.maximumKeyLength)",
        advice: "Use a shorter key, or raise maximumKeyLength in the store's limits.",
        key: String(key.prefix(80))
      )
    }
    var text = key
    let hasLongRun = length >= ZeroRuns.limit && text.withUTF8 { ZeroRuns.areLong(in: UnsafeRawBufferPointer($0)) }
    guard !hasLongRun else {
      throw GlobalDataError(
        .invalidKey, "a key has \(ZeroRuns.limit) or more zero characters in a row", advice: "Use another key.",
        key: String(key.prefix(80)))
    }
  }
}
