import GlobalData

extension GlobalData.Keys {
  /// The number of the note that was added last. Numbers are not reused, not even after a note is removed.
  static let lastNoteID = Key("lastNoteID", default: 0)

  /// The notes of the last removal, for `restore`.
  static let trash = Key("trash", default: [Note]())
}
