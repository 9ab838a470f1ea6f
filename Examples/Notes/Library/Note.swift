import Foundation

/// One note. It is a plain `Codable` value, with no code for the store.
package struct Note: Codable, Identifiable, Equatable, Sendable {
  package let id: Int
  package var text: String
  package var tags: [String]
  package var isPinned = false
  package let created: Date
  package var edited: Date

  init(id: Int, text: String, tags: [String], created: Date) {
    self.id = id
    self.text = text
    self.tags = tags
    self.created = created
    edited = created
  }

  /// The title of the note in a list.
  package var title: String {
    String(text.prefix { !$0.isNewline })
  }

  /// Returns whether each of the words occurs in the text or is one of the tags.
  func matches(_ words: [String]) -> Bool {
    words.allSatisfy { word in
      tags.contains(word) || text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
  }
}
