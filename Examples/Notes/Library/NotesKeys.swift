import GlobalData

extension GlobalData.Keys {
  /// The number of the note that was added last. Numbers are not given twice, not even after a note is removed.
  static let lastNoteID = Key("lastNoteID", default: 0)

  /// The notes that the last removal took away, for `restore`.
  static let trash = Key("trash", default: [Note]())
}
