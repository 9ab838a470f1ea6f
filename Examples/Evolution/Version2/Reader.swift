import GlobalData

/// The second release: another name, one field renamed, one widened, one added. Nothing of it needs a version.
struct Reader: Archivable, CustomStringConvertible {
  var name: String
  var favoriteBooks: [String]
  var city: String
  var age: Int
  var isMember: Bool
  var nickname: String?
  /// What a later release may add is kept.
  @UnknownFields var unknownFields

  static let formerArchiveTags: [ArchiveTag] = ["Person"]
  static let formerFieldNames = ["favoriteBooks": ["books"]]
  static var archiveDefaults: [String: any Encodable & Sendable] { ["isMember": true] }

  var description: String {
    "\(name), \(age), of \(city), \(isMember ? "a member" : "no member"), who reads "
      + favoriteBooks.joined(separator: " and ")
  }
}
