/// Items that were not in the archive: the new forms of migrated values, after a copy of its bytes.
///
/// A new form is made of what changed, and of references to what did not, which stays where it is:
///
///     stored       {"books": […], "age": 7}
///     migrated     {"favoriteBooks": → the stored array, "age": → the stored 7, "habits": []}
///
/// So a migration copies nothing that it does not change, an instance that is shared stays one instance, and values
/// inside each other that are all migrated do not multiply the memory that they take.
final class Splices {
  struct Form {
    let buffer = ByteBuffer(capacity: 128)
    /// The string namespace that the item's own references count in.
    let namespace: Int32
    fileprivate var references = ContiguousArray<Reference>()

    init(namespace: Int32) {
      self.namespace = namespace
    }

    mutating func appendReference(to target: CBORCursor) {
      references.append(Reference(offset: buffer.count, target: target))
      buffer.appendHead(.tag, CBORTag.elsewhere)
      buffer.appendNull()
    }
  }

  /// A tag that has no meaning in any archive, and the item that it stands for. The tag counts only at the offsets
  /// listed here, so no file can contain a reference.
  fileprivate struct Reference {
    var offset: Int
    let target: CBORCursor
  }

  private let buffer: ByteBuffer
  /// What stands where in the archive and in the items after it.
  private(set) var index: StructureIndex
  /// In the order of their offsets, which only grow.
  private var references = ContiguousArray<Reference>()

  /// Copies the archive, so that its offsets stay what they are.
  init(_ bytes: UnsafeRawBufferPointer, _ index: StructureIndex) {
    self.index = index
    self.index.reserveFirstNamespace()
    buffer = ByteBuffer(capacity: bytes.count + 1024)
    buffer.append(bytes)
  }

  /// Adds an item and returns its position and its nesting. Earlier windows on the bytes are no longer valid.
  func append(_ form: Form, limits: ArchiveLimits) throws(CBORError) -> (place: CBORCursor, depth: Int) {
    let start = buffer.count
    form.buffer.withUnsafeBytes { buffer.append($0) }
    for var reference in form.references {
      reference.offset += start
      references.append(reference)
    }
    let place = CBORCursor(offset: start, container: index.nextContainer, namespace: form.namespace)
    let appended = try index.append(place, window, limits: limits)
    return (place, appended.depth)
  }

  /// A window on all bytes, valid until the next item is added.
  var window: CBORReader { CBORReader(buffer.contents) }

  /// What the reference at an offset stands for, or `nil` where there is no reference; O(log *n*) in the references.
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
