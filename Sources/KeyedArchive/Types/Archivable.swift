/// A type that says how it is named in archives, and how to read what its earlier versions stored.
///
/// Any `Codable & Sendable` type can be stored without this. Conform to keep opening old archives after the type was
/// renamed or its fields changed. Every requirement has a default.
///
/// ```swift
/// extension People: Archivable {
///   static let archiveTag: ArchiveTag = "People"
///   static let formerArchiveTags: [ArchiveTag] = ["Person"]
///   static let archiveVersion = 3
///   static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
///     if version < 2 { object["habits"] = [] }
///     if version < 3 { object.rename("books", to: "favoriteBooks") }
///   }
/// }
/// ```
///
/// See <doc:EvolvingModels>.
public protocol Archivable: Codable, Sendable {
  /// The name under which values are stored. The type's own name without its module, unless stated.
  static var archiveTag: ArchiveTag { get }

  /// Names under which earlier versions of the program stored this type.
  static var formerArchiveTags: [ArchiveTag] { get }

  /// The names that fields had in earlier versions, by their present names.
  ///
  /// A field that is not stored under its present name is read from the first of these that is.
  static var formerFieldNames: [String: [String]] { get }

  /// The values of fields that are not stored, by name: of those that a later version of the program added.
  ///
  /// Not for optional properties, which are left out where they are `nil`: a default would take the place of that.
  static var archiveDefaults: [String: any Encodable & Sendable] { get }

  /// The version of the stored form, from 1. A version above 1 is written with each value.
  ///
  /// Values of a lower version go through ``migrate(_:from:)-(ArchiveObject,_)`` before they are read; those of a
  /// higher one are refused. What no older program could misread, such as a new field, needs no new version.
  static var archiveVersion: Int { get }

  /// Turns the fields that an earlier version stored into those of the present version.
  ///
  /// It is called when such a value is read, at whatever depth. Values inside it that have versions of their own are
  /// migrated after it, by their own types.
  ///
  /// - Parameters:
  ///   - object: The fields as they are stored.
  ///   - version: The version that stored them; 1 where none was stated.
  /// - Throws: Whatever makes it impossible; the stored value stays as it is, and reading it throws a
  ///   ``KeyedArchiveError`` with code `migrationFailed`.
  static func migrate(_ object: inout ArchiveObject, from version: Int) throws

  /// Turns what an earlier version stored into the form of the present version, where one of both is not an object.
  ///
  /// Called in place of ``migrate(_:from:)-(ArchiveObject,_)``, which it calls for an object unless a type implements
  /// it.
  ///
  /// - Parameters:
  ///   - value: What is stored.
  ///   - version: The version that stored it; 1 where none was stated.
  /// - Throws: Whatever makes it impossible.
  static func migrate(_ value: inout ArchiveValue, from version: Int) throws

  /// The properties of a class that `encode(to:)` leaves out on purpose, by name; none unless stated.
  ///
  /// Debug builds warn where a subclass encodes none of the properties that it adds; not where all of these are listed
  /// here. To be overridden by a subclass, it has to be declared as a `class var` by the class that conforms.
  static var archiveOmittedProperties: Set<String> { get }
}

extension Archivable {
  public static var archiveTag: ArchiveTag { ArchiveTag(defaultArchiveName(of: Self.self)) }
  public static var formerArchiveTags: [ArchiveTag] { [] }
  public static var formerFieldNames: [String: [String]] { [:] }
  public static var archiveDefaults: [String: any Encodable & Sendable] { [:] }
  public static var archiveVersion: Int { 1 }
  public static var archiveOmittedProperties: Set<String> { [] }

  /// Leaves the fields as they are.
  public static func migrate(_ object: inout ArchiveObject, from version: Int) throws {}

  /// Migrates an object, and leaves anything else as it is.
  public static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
    guard case .object(var object) = value else { return }
    try migrate(&object, from: version)
    value = .object(object)
  }
}
