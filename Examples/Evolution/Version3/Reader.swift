import GlobalData

/// The model of the third release: books are objects, and the city is part of an address. No rule can infer this, so it
/// is a migration.
struct Reader: Archivable, CustomStringConvertible {
  struct Book: Codable, Sendable {
    var title: String
    var rating: Int?
  }

  struct Address: Codable, Sendable {
    var city: String
    var country: String?
  }

  var name: String
  var favoriteBooks: [Book]
  var address: Address
  var age: Int
  var isMember: Bool
  var nickname: String?

  static let formerArchiveTags: [ArchiveTag] = ["Person"]
  static var archiveDefaults: [String: any Encodable & Sendable] { ["isMember": true] }
  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    // The first two releases have version 1, and different names for the books.
    object.rename("books", to: "favoriteBooks")
    object.transform("favoriteBooks") { books in
      .array((books.array ?? []).map { title in ["title": title] })
    }
    object.move("city", to: "address", "city")
  }

  var description: String {
    "\(name)\(nickname.map { " (\($0))" } ?? ""), \(age), of \(address.city), \(isMember ? "a member" : "no member"), "
      + "who reads " + favoriteBooks.map(\.title).joined(separator: " and ")
  }
}
