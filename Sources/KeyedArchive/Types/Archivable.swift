/// A type that says how it is named in archives.
///
/// Any `Codable & Sendable` type can be stored without this. Conform to keep opening old archives after the type was
/// renamed, or to give its stored form a version. Every requirement has a default.
public protocol Archivable: Codable, Sendable {
  /// The name under which values are stored. The type's own name without its module, unless stated.
  static var archiveTag: ArchiveTag { get }

  /// Names under which earlier versions of the program stored this type.
  static var formerArchiveTags: [ArchiveTag] { get }

  /// The version of the stored form, from 1. A version above 1 is written with each value.
  static var archiveVersion: Int { get }

  /// The properties of a class that `encode(to:)` leaves out on purpose, by name; none unless stated.
  ///
  /// Debug builds warn where a subclass encodes none of the properties that it adds; not where all of these are listed
  /// here. To be overridden by a subclass, it has to be declared as a `class var` by the class that conforms.
  static var archiveOmittedProperties: Set<String> { get }
}

extension Archivable {
  public static var archiveTag: ArchiveTag { ArchiveTag(defaultArchiveName(of: Self.self)) }
  public static var formerArchiveTags: [ArchiveTag] { [] }
  public static var archiveVersion: Int { 1 }
  public static var archiveOmittedProperties: Set<String> { [] }
}
