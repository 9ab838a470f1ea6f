/// Limits on the contents of an archive, for both reading and writing, so that every written archive can be read.
///
/// Exceeding a limit is an error that names the limit. See ``KeyedArchiveError/Code/limitReached``.
public struct ArchiveLimits: Hashable, Sendable {
  /// The greatest size of a store's file, in bytes. The default is 256 MiB.
  public var maximumFileSize = 256 * 1024 * 1024

  /// The greatest nesting of arrays, maps and tags together. The default is 256, and the maximum is 16,384.
  ///
  /// One level of models takes one to four levels of nesting: a map, a tag and an array if a type name is stored, and
  /// another tag if an instance is shared. Writing counts this tag for every instance of a class, because any may turn
  /// out to be shared. Deep values are coded on a thread with enough stack. However, a program's own recursion over a
  /// deep value, including `==`, needs stack of its own. Freeing a deep value takes up to 512 bytes per level. Raise
  /// the limit only if stacks are large.
  public var maximumDepth = 256

  /// The greatest number of items in one value. The default is 10,000,000.
  public var maximumItems = 10_000_000

  /// The greatest length of a key that a store writes, in bytes of UTF-8. The default is 1,024, and the maximum is
  /// 65,536.
  ///
  /// A store can read and remove longer keys that a store with another limit has written. If a bit of a key of more
  /// than 1,024 bytes flips, it is not repaired.
  public var maximumKeyLength = 1024

  /// The greatest length of a type tag, in bytes of UTF-8. The default is 255.
  public var maximumTagLength = 255

  /// The default limits.
  public init() {}
}
