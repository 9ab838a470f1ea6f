import Foundation
import GlobalData

/// A call that changes a store of texts, and its model: the same change of a dictionary.
struct WriteCall: Sendable, CustomStringConvertible {
  enum Kind: CaseIterable, Sendable {
    case set, setMixed, setNothing, remove, setKey, reset, clear, clearKeeping
    case update, updateManyKeys, updateThatClears, updateThatThrows
    case insert, upsert, replace, updateElement, setProperty, updateWhere, moveElement
    case delete, deleteWhere, deleteAll, insertAndDelete
  }

  enum Answer: Equatable, Sendable {
    /// The call returned: a number of elements, 1 for `true`, or 0 for `false` or no result.
    case made(Int)
    case refused(GlobalDataError.Code)
    /// The call threw the error of its closure.
    case thrown
  }

  private struct OutOfStock: Error {}

  private struct Note: Codable, Identifiable, Sendable {
    var id: String
    var text: String
  }

  private static let declared = GlobalData.Key("declared", default: "")

  var kind: Kind
  var text: String

  var description: String { "\(kind) \(text.prefix(20))" }

  /// Makes the call. It runs on the caller's actor until its first suspension, so the order of calls is that of the
  /// actor's tasks.
  func make(in store: GlobalData, isolation: isolated (any Actor)? = #isolation) async throws -> Answer {
    do {
      return .made(try await number(in: store, isolation))
    } catch is OutOfStock {
      return .thrown
    } catch let error as GlobalDataError
      where error.code == .duplicateElement || error.code == .elementNotFound
    {
      return .refused(error.code)
    }
  }

  private func number(in store: GlobalData, _ isolation: isolated (any Actor)?) async throws -> Int {
    let notes = store.collection(of: Note.self, named: "notes")
    let note = Note(id: "1", text: text)
    switch kind {
    case .set: try await store.set(text, forKey: "a")
    case .setMixed:
      let value: any Codable & Sendable = text
      try await store.set(value, forKey: "a")
    case .setNothing: try await store.set(String?.none, forKey: "a")
    case .remove: try await store.removeObject(forKey: "a")
    case .setKey: try await store.set(text, for: Self.declared)
    case .reset: try await store.reset(Self.declared)
    case .clear: try await store.clear()
    case .clearKeeping: try await store.clear(keeping: ["a"])
    case .update:
      try await store.update { data in
        try data.set((data.object(String.self, forKey: "a") ?? "").suffix(10) + text, forKey: "a")
      }
    case .updateManyKeys:
      try await store.update { data in
        data[Self.declared] = try data.object(String.self, forKey: "a") ?? "none"
        data.removeObject(forKey: "a")
        try data.upsert(note, into: notes)
      }
    case .updateThatClears:
      try await store.update { data in
        let kept = try data.object(String.self, forKey: "a")
        data.clear()
        data[Self.declared] = kept ?? "none"
      }
    case .updateThatThrows:
      try await store.update { data in
        try data.set(text, forKey: "a")
        throw OutOfStock()
      }
    case .insert: try await notes.insert(note)
    case .upsert: try await notes.upsert(note)
    case .replace: try await notes.replace(note)
    case .updateElement:
      let isThere = try await notes.update("1") { $0.text += text.suffix(1) }
      return isThere ? 1 : 0
    case .setProperty: return try await notes.set(\.text, to: text, for: "1") ? 1 : 0
    case .updateWhere:
      func isFirst(_ note: Note) -> Bool { note.id == "1" }
      return try await notes.update(where: isFirst) { $0.text += "w" }
    case .moveElement:
      let isThere = try await notes.update("1") { $0.id = "2" }
      return isThere ? 1 : 0
    case .delete: return try await notes.delete("1") ? 1 : 0
    case .deleteWhere: return try await notes.delete { $0.id == "1" }
    case .deleteAll: try await notes.deleteAll()
    case .insertAndDelete:
      return try await store.update { data in
        try data.insert(Note(id: "3", text: text), into: notes)
        return data.delete("1", from: notes) ? 1 : 0
      }
    }
    return 0
  }

  /// Changes a dictionary as the call changes a store with the same texts.
  func apply(to texts: inout [String: String]) -> Answer {
    let note = texts["notes/1"]
    switch kind {
    case .set, .setMixed: texts["a"] = text
    case .setNothing, .remove: texts["a"] = nil
    case .setKey: texts["declared"] = text
    case .reset: texts["declared"] = nil
    case .clear: texts = [:]
    case .clearKeeping: texts = texts.filter { $0.key == "a" }
    case .update: texts["a"] = (texts["a"] ?? "").suffix(10) + text
    case .updateManyKeys:
      texts["declared"] = texts["a"] ?? "none"
      texts["a"] = nil
      texts["notes/1"] = text
    case .updateThatClears: texts = ["declared": texts["a"] ?? "none"]
    case .updateThatThrows: return .thrown
    case .insert:
      if note != nil { return .refused(.duplicateElement) }
      texts["notes/1"] = text
    case .upsert: texts["notes/1"] = text
    case .replace:
      if note == nil { return .refused(.elementNotFound) }
      texts["notes/1"] = text
    case .updateElement, .setProperty, .updateWhere:
      guard let note else { return .made(0) }
      texts["notes/1"] = kind == .setProperty ? text : note + (kind == .updateWhere ? "w" : text.suffix(1))
      return .made(1)
    case .moveElement:
      guard let note else { return .made(0) }
      if texts["notes/2"] != nil { return .refused(.duplicateElement) }
      texts["notes/1"] = nil
      texts["notes/2"] = note
      return .made(1)
    case .delete, .deleteWhere:
      texts["notes/1"] = nil
      return .made(note == nil ? 0 : 1)
    case .deleteAll: texts = texts.filter { !$0.key.hasPrefix("notes/") }
    case .insertAndDelete:
      if texts["notes/3"] != nil { return .refused(.duplicateElement) }
      texts["notes/3"] = text
      texts["notes/1"] = nil
      return .made(note == nil ? 0 : 1)
    }
    return .made(0)
  }

  /// Reads all texts of a store.
  static func texts(in store: GlobalData) throws -> [String: String] {
    var texts: [String: String] = [:]
    for key in store.allKeys {
      texts[key] =
        key.hasPrefix("notes/")
        ? try store.object(Note.self, forKey: key)?.text : try store.object(String.self, forKey: key)
    }
    return texts
  }
}
