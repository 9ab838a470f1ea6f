import GlobalData

extension GlobalData.EntryInfo {
  /// The fields of an entry in the output of `--json`.
  var json: ArchiveValue {
    ["key": .string(key), "type": .string(type), "size": .int(size)]
  }
}

extension ArchiveValue {
  static func strings(_ texts: [String]) -> ArchiveValue {
    .array(texts.map { .string($0) })
  }
}
