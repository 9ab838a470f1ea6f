/// Finds the fields of an instance.
///
/// A mirror takes about 20 µs for 25 fields, many times as long as the archive takes to read or write them. The fields
/// of structs are therefore read and filled in place, in the instance's memory.
///
/// This is safe for these reasons. The stored properties of a struct are in its memory, each at one offset that is the
/// same for all instances of the type. The offset of each field was found in two instances with different boxes: by the
/// address of its box, which occurred nowhere else, and by the offset of that address in a field of the same type. The
/// initializer that creates a box also creates the declaration, with the type of the value. If an address is not found,
/// the offsets are not used, and a mirror finds the boxes, as for classes.
struct FieldFinder: Sendable {
  /// By the numbers of the properties.
  private let offsets: ContiguousArray<Int>?

  init<M: Model>(_ prototype: M, _ fields: [ModelMirror.Field]) {
    // Created like the prototype, so that all of its values are in boxes.
    let second = FieldCollector(capacity: fields.count).collect { M() }
    let offsets = FieldFinder.offsets(of: fields, in: prototype)
    self.offsets = offsets == FieldFinder.offsets(of: ModelMirror(second).fields, in: second) ? offsets : nil
  }

  /// Whether the fields are found without a mirror.
  var isFast: Bool { offsets != nil }

  /// Calls a function that reads the locations of an instance, which must be of the finder's type.
  func withLocations<M: Model, Result>(of model: M, _ body: (FieldLocations) throws -> Result) rethrows -> Result {
    guard let offsets else { return try body(FieldLocations(ContiguousArray(ModelMirror(model).fields.map(\.box)))) }
    // The body only reads. `withLocations(toFill:_:)` is for filling.
    return try withUnsafeBytes(of: model) {
      try body(FieldLocations(in: UnsafeMutableRawBufferPointer(mutating: $0), at: offsets))
    }
  }

  /// Calls a function that fills the locations of an instance. The finder must be fast.
  func withLocations<M: Model>(toFill model: inout M, _ body: (FieldLocations) throws -> Void) rethrows {
    guard let offsets else { preconditionFailure("the offsets of the fields are unknown") }
    try withUnsafeMutableBytes(of: &model) { try body(FieldLocations(in: $0, at: offsets)) }
  }

  /// Returns the offsets of the fields, or `nil` for a class, or if the address of a box is not found at exactly one
  /// offset.
  private static func offsets<M: Model>(of fields: [ModelMirror.Field], in model: M) -> ContiguousArray<Int>? {
    guard !(M.self is AnyObject.Type) else { return nil }
    return withUnsafeBytes(of: model) { bytes in
      var offsets = ContiguousArray<Int>()
      for field in fields {
        let address = UInt(bitPattern: Unmanaged.passUnretained(field.box).toOpaque())
        let matches = bytes.offsets(ofWord: address)
        guard let offset = matches.first, matches.count == 1, let inField = field.offsetOfBox, inField <= offset else {
          return nil
        }
        offsets.append(offset - inField)
      }
      return offsets
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the offsets at which memory contains a word.
  func offsets(ofWord word: UInt) -> [Int] {
    stride(from: 0, through: count - MemoryLayout<UInt>.size, by: MemoryLayout<UInt>.alignment)
      .filter { loadUnaligned(fromByteOffset: $0, as: UInt.self) == word }
  }
}

/// The locations of one instance's values, by the numbers of the properties.
struct FieldLocations {
  private let boxes: ContiguousArray<AnyObject>
  /// The instance's memory, and the offsets of the fields in it. Used only in `withLocations`, while that memory is
  /// valid.
  private let memory: UnsafeMutableRawPointer?
  private let offsets: ContiguousArray<Int>

  init(_ boxes: ContiguousArray<AnyObject>) {
    self.boxes = boxes
    memory = nil
    offsets = []
  }

  fileprivate init(in memory: UnsafeMutableRawBufferPointer, at offsets: ContiguousArray<Int>) {
    boxes = []
    self.memory = memory.baseAddress
    self.offsets = offsets
  }

  var count: Int { memory == nil ? boxes.count : offsets.count }

  subscript(property: Int) -> FieldLocation {
    guard let memory else { return .box(boxes[property]) }
    return .field(memory + offsets[property])
  }
}
