import GlobalData
import SwiftUI

extension GlobalData.Keys {
  static let note = Key("note", default: "")
  static let owner = Key<String?>("owner")
}

/// A view of the current store.
public struct NoteView: View {
  @Stored(.note) private var note

  public init() {}

  public var body: some View {
    TextField("Note", text: $note)
    Text(note)
    Button("Clear") { note = "" }
  }
}

/// A view of a given store that contains a view of the same key and reports failures.
public struct OwnerView: View {
  @Stored private var owner: String?
  @Stored(.note) private var note: String
  private let store: GlobalData

  public init(store: GlobalData, onFailure: @escaping @MainActor @Sendable (any Error) -> Void) {
    self.store = store
    _owner = Stored(.owner, store: store, onFailure: onFailure)
    _note = Stored(.note, store: store, onFailure: onFailure)
  }

  public var body: some View {
    TextField("Note", text: $note)
    Text(owner ?? "nobody")
    Text(_note.failure == nil ? "stored" : "not stored")
    Inner(store: store)
    Button("Sell") { owner = nil }
    Button("Buy") { owner = "Jo" }
  }

  private struct Inner: View {
    @Stored(.note) var note

    init(store: GlobalData) {
      _note = Stored(.note, store: store)
    }

    var body: some View { Text("note: \(note)") }
  }
}
