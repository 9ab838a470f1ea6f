/// What an archive may hold, for reading and for writing alike, so that nothing is written that cannot be read.
///
/// A limit that is reached is an error that names it; see ``KeyedArchiveError/Code/limitReached``.
public struct ArchiveLimits: Hashable, Sendable {
  /// The greatest size of a store's file, in bytes. 256 MiB unless changed.
  public var maximumFileSize = 256 << 20

  /// The greatest nesting of arrays, maps and tags together. 256 unless changed, and at most 16,384.
  ///
  /// One level of models takes one to four levels of nesting: a map, and where a type's name is stored a tag and an
  /// array, and where an instance is shared one tag more. Deep values are coded on a thread with the stack that they
  /// need; but a program's own recursion over a deep value, be it `==`, needs its own stack, and so does freeing it,
  /// which takes up to 512 bytes a level: raise the limit only where stacks are large.
  public var maximumDepth = 256

  /// The greatest number of items in one value. 10,000,000 unless changed.
  public var maximumItems = 10_000_000

  /// The greatest length of a store's key, in bytes of UTF-8. 1,024 unless changed.
  public var maximumKeyLength = 1024

  /// The greatest length of a type tag, in bytes of UTF-8. 255 unless changed.
  public var maximumTagLength = 255

  /// The default limits.
  public init() {}
}
