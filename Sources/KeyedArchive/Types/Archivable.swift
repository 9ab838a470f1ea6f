/// A type that defines its name in archives and how values stored by its earlier versions are read.
///
/// Any `Codable & Sendable` type can be stored without conforming to this protocol. Conform so that old archives can
/// still be read after the type is renamed or its fields change. Every requirement has a default.
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
/// A subclass overrides a requirement that the conforming class declares as a `class var` or a `class func`. Any other
/// declaration in a subclass has no effect.
///
/// See <doc:EvolvingModels>.
public protocol Archivable: Codable, Sendable {
  /// The name under which values are stored. The default is the type's own name without its module.
  ///
  /// Do not use `:`, `?` or any kind of brackets in a tag of your own. The tags of collections and optionals are
  /// composed with these signs, so an array of such values could only be read by naming its type.
  static var archiveTag: ArchiveTag { get }

  /// Names under which earlier versions of the program stored this type.
  static var formerArchiveTags: [ArchiveTag] { get }

  /// The former names of fields, by their current names.
  ///
  /// A field that is not stored under its current name is read from the first of its former names that is stored.
  static var formerFieldNames: [String: [String]] { get }

  /// The values of fields that are missing from an archive, by name. A later version of the program added such fields.
  ///
  /// Do not provide defaults for optional properties. An optional property is left out of an archive if it is `nil`, so
  /// a default would replace the `nil`.
  static var archiveDefaults: [String: any Encodable & Sendable] { get }

  /// The version of the stored form, starting at 1. A version above 1 is written with each value.
  ///
  /// Values of a lower version go through ``migrate(_:from:)-(ArchiveObject,_)`` before they are read. Values of a
  /// higher version are refused. A change that no older program could misread, such as a new field, needs no new
  /// version.
  static var archiveVersion: Int { get }

  /// Converts the fields that an earlier version stored to those of the current version.
  ///
  /// Called when such a value is read, at any depth. Values nested in it that have versions of their own are migrated
  /// afterward, by their own types.
  ///
  /// - Parameters:
  ///   - object: The fields as they are stored.
  ///   - version: The version that stored the fields, or 1 if no version is stored.
  /// - Throws: Any error that prevents the migration. The stored value is left unchanged, and reading it throws a
  ///   ``KeyedArchiveError`` with code `migrationFailed`.
  static func migrate(_ object: inout ArchiveObject, from version: Int) throws

  /// Converts a value that an earlier version stored to the current form, if one of the two forms is not an object.
  ///
  /// Called instead of ``migrate(_:from:)-(ArchiveObject,_)``. The default implementation calls that method for an
  /// object.
  ///
  /// - Parameters:
  ///   - value: The stored value.
  ///   - version: The version that stored the value, or 1 if no version is stored.
  /// - Throws: Any error that prevents the migration.
  static func migrate(_ value: inout ArchiveValue, from version: Int) throws

  /// The names of the properties of a class that `encode(to:)` leaves out on purpose. The default is an empty set.
  ///
  /// Debug builds warn if a subclass encodes none of the properties that it adds, unless all of them are listed here.
  static var archiveOmittedProperties: Set<String> { get }
}

extension Archivable {
  public static var archiveTag: ArchiveTag { ArchiveTag(defaultArchiveName(of: Self.self)) }
  public static var formerArchiveTags: [ArchiveTag] { [] }
  public static var formerFieldNames: [String: [String]] { .init() }
  public static var archiveDefaults: [String: any Encodable & Sendable] { .init() }
  public static var archiveVersion: Int { 1 }
  public static var archiveOmittedProperties: Set<String> { [] }

  /// Leaves the fields unchanged.
  public static func migrate(_ object: inout ArchiveObject, from version: Int) throws {}

  /// Migrates an object, and leaves any other value unchanged.
  public static func migrate(_ value: inout ArchiveValue, from version: Int) throws {
    guard case .object(var object) = value else { return }
    try migrate(&object, from: version)
    value = .object(object)
  }
}

/// The names of types. Each is computed only once because `String(reflecting:)` is slow.
private let computedNames = Locked<[ObjectIdentifier: String]>(.init())

/// Returns a type's own name without its module: `CarInfo`, `Garage.Slot`, `Box<CarInfo>`.
func defaultArchiveName(of type: Any.Type) -> String {
  let id = ObjectIdentifier(type)
  if let name = computedNames.withLock({ $0[id] }) { return name }
  let name = withoutModules(String(reflecting: type))
  computedNames.withLock { $0[id] = name }
  return name
}
