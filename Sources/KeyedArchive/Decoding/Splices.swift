/// Items that were not in the archive: the new forms of migrated values, after a copy of the archive's bytes.
///
/// A new form consists of the parts that changed, and of references to the other parts, which keep their positions:
///
///     stored       {"books": […], "age": 7}
///     migrated     {"favoriteBooks": → the stored array, "age": → the stored 7, "habits": []}
///
/// A migration therefore copies only what it changes, and a shared instance stays one instance. Nested values that are
/// all migrated do not multiply their memory.
final class Splices {
  struct Form {
    let buffer = ByteBuffer(capacity: 128)
    /// The string namespace for the references inside the item.
    let namespace: Int32
    fileprivate var references = ContiguousArray<Reference>()

    init(namespace: Int32) { self.namespace = namespace }

    mutating func appendReference(to target: CBORCursor) {
      references.append(Reference(offset: buffer.count, target: target))
      buffer.appendHead(.tag, CBORTag.elsewhere)
      buffer.appendNull()
    }
  }

  /// A tag that has no meaning in any archive, and the item that it refers to. The tag is valid only at the offsets
  /// listed here, so no file can contain a reference.
  fileprivate struct Reference {
    var offset: Int
    let target: CBORCursor
  }

  private let buffer: ByteBuffer
  /// The structure of the archive and of the items after it.
  private(set) var index: StructureIndex
  /// The references in the order of their offsets. New offsets are always greater.
  private var references = ContiguousArray<Reference>()

  /// Copies the archive, so that its offsets stay the same.
  init(_ bytes: UnsafeRawBufferPointer, _ index: StructureIndex) {
    self.index = index
    self.index.reserveFirstNamespace()
    buffer = ByteBuffer(capacity: bytes.count + 1024)
    buffer.append(bytes)
  }

  /// Adds an item and returns its position and its nesting. Invalidates earlier windows on the bytes.
  func append(_ form: Form, limits: ArchiveLimits) throws -> (cursor: CBORCursor, depth: Int) {
    let start = buffer.count
    form.buffer.withUnsafeBytes { buffer.append($0) }
    for var reference in form.references {
      reference.offset += start
      references.append(reference)
    }
    let cursor = CBORCursor(offset: start, container: index.nextContainer, namespace: form.namespace)
    let appended = try index.append(cursor, window, limits: limits)
    return (cursor, appended.depth)
  }

  /// A window on all bytes, valid until the next item is added.
  var window: CBORReader { CBORReader(buffer.contents) }

  /// Returns the target of the reference at an offset, or `nil` if there is no reference. The complexity is O(log *n*)
  /// in the number of references.
  func target(ofReferenceAt offset: Int) -> CBORCursor? {
    var range = references.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let reference = references[middle]
      if reference.offset == offset { return reference.target }
      range = reference.offset < offset ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
