/// Finds the boxes of an instance's fields.
///
/// A mirror does it, and takes some 20 µs for 25 fields: many times what the archive needs to read or write them. For
/// structs the boxes are therefore read from where they are in the instance's memory.
///
/// This is safe for these reasons. A field is a struct whose only stored property is a reference to its box, so that it
/// is represented as that reference is. The stored properties of a struct are in its memory, each at one offset that is
/// the same for all instances of the type. The offset of each field was found in two instances, with different boxes,
/// by the address of its box, which occurred nowhere else. If any of that ever fails to hold, the offsets are not
/// found, and the slower ways do the work, as they do for classes.
struct BoxFinder: Sendable {
  /// By the numbers of the properties.
  private let offsets: ContiguousArray<Int>?

  init<M: Model>(_ prototype: M, _ boxes: [AnyObject]) {
    let second = FieldCollector.pausing { M() }
    let secondBoxes = ModelMirror(second).fields.map(\.box)
    let offsets = BoxFinder.offsets(of: boxes, in: prototype)
    self.offsets = offsets == BoxFinder.offsets(of: secondBoxes, in: second) ? offsets : nil
  }

  /// Whether the boxes are found without a mirror.
  var isFast: Bool { offsets != nil }

  /// Calls a function with the boxes of an instance of the type that the finder was made for.
  func withBoxes<M: Model, Result>(of model: M, _ body: (FieldBoxes) throws -> Result) rethrows -> Result {
    guard let offsets else { return try body(FieldBoxes(ContiguousArray(ModelMirror(model).fields.map(\.box)))) }
    return try withUnsafeBytes(of: model) { try body(FieldBoxes(in: $0, at: offsets)) }
  }

  /// The offsets of the boxes' addresses, or `nil` when one is nowhere or at two offsets, or for a class.
  private static func offsets<M: Model>(of boxes: [AnyObject], in model: M) -> ContiguousArray<Int>? {
    guard !(M.self is AnyObject.Type) else { return nil }
    return withUnsafeBytes(of: model) { bytes in
      let last = bytes.count - MemoryLayout<UInt>.size
      guard last >= 0 else { return boxes.isEmpty ? [] : nil }
      var places: [UInt: [Int]] = [:]
      for offset in stride(from: 0, through: last, by: MemoryLayout<UInt>.alignment) {
        places[bytes.load(fromByteOffset: offset, as: UInt.self), default: []].append(offset)
      }
      var offsets = ContiguousArray<Int>()
      for box in boxes {
        let address = UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
        guard let place = places[address], place.count == 1 else { return nil }
        offsets += place
      }
      return offsets
    }
  }
}

/// The boxes of one instance, by the numbers of the properties.
struct FieldBoxes {
  private let boxes: ContiguousArray<AnyObject>
  /// The instance's memory, and where the boxes are in it. Used only in `withBoxes(of:_:)`, while that memory is there.
  private let memory: UnsafeRawBufferPointer?
  private let offsets: ContiguousArray<Int>

  init(_ boxes: ContiguousArray<AnyObject>) {
    self.boxes = boxes
    memory = nil
    offsets = []
  }

  fileprivate init(in memory: UnsafeRawBufferPointer, at offsets: ContiguousArray<Int>) {
    boxes = []
    self.memory = memory
    self.offsets = offsets
  }

  var count: Int { memory == nil ? boxes.count : offsets.count }

  subscript(property: Int) -> AnyObject {
    guard let memory else { return boxes[property] }
    // The instance holds a reference; the caller gets another one.
    return memory.load(fromByteOffset: offsets[property], as: Unmanaged<AnyObject>.self).takeUnretainedValue()
  }
}
