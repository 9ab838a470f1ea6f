import GlobalData

/// The model of the second release: the type is renamed, one field is renamed, one is widened, and one is added. None
/// of this needs a version.
struct Reader: Archivable, CustomStringConvertible {
  var name: String
  var favoriteBooks: [String]
  var city: String
  var age: Int
  var isMember: Bool
  var nickname: String?
  /// Fields that a later release may add are kept.
  @UnknownFields var unknownFields

  static let formerArchiveTags: [ArchiveTag] = ["Person"]
  static let formerFieldNames = ["favoriteBooks": ["books"]]
  static var archiveDefaults: [String: any Encodable & Sendable] { ["isMember": true] }

  var description: String {
    "\(name), \(age), of \(city), \(isMember ? "a member" : "no member"), who reads "
      + favoriteBooks.joined(separator: " and ")
  }
}
