/// Finds the fields of an instance.
///
/// A mirror takes about 20 µs for 25 fields, many times as long as the archive takes to read or write them. The fields
/// are therefore read, and those of structs also filled, in place: in the instance's memory.
///
/// This is safe for these reasons. The stored properties of a struct are in its memory, and those of a class in the
/// memory of its objects, each at one offset that is the same for all instances of the type. The offset of each field
/// was found in two instances with different boxes: by the address of its box, which occurred nowhere else in the
/// memory that was searched, and by the offset of that address in a field of the same type. The initializer that
/// creates a box also creates the declaration, with the type of the value. Of an object, only the memory was searched
/// that it must have with these fields. If an address is not found, the offsets are not used, and a mirror finds the
/// boxes. A model must not keep a copy of one of its fields in another property: its offset could be taken for the
/// field's.
struct FieldFinder: Sendable {
  /// By the numbers of the properties.
  private let offsets: ContiguousArray<Int>?
  private let isOfClass: Bool

  init<M: Model>(_ prototype: M, _ mirror: ModelMirror) {
    isOfClass = M.self is AnyObject.Type
    // Created like the prototype, so that all of its values are in boxes.
    let second = FieldCollector(capacity: mirror.fields.count).collect { type(of: prototype).init() }
    let offsets = FieldFinder.offsets(of: mirror, in: prototype)
    self.offsets = offsets == FieldFinder.offsets(of: ModelMirror(second), in: second) ? offsets : nil
  }

  /// Whether the fields are filled in place. Those of a class are filled through their boxes.
  var fillsInPlace: Bool { offsets != nil && !isOfClass }

  /// Calls a function that reads the locations of an instance, which must be of the finder's type.
  func withLocations<M: Model, Result>(of model: M, _ body: (FieldLocations) throws -> Result) rethrows -> Result {
    guard let offsets else { return try body(FieldLocations(ContiguousArray(ModelMirror(model).fields.map(\.box)))) }
    return try withUnsafeBytes(of: model) { bytes in
      // The body only reads. `withLocations(toFill:_:)` is for filling.
      let memory = isOfClass ? bytes.load(as: UnsafeRawPointer.self) : bytes.baseAddress
      return try body(FieldLocations(in: UnsafeMutableRawPointer(mutating: memory), at: offsets))
    }
  }

  /// Calls a function that fills the locations of an instance. The finder must fill in place.
  func withLocations<M: Model>(toFill model: inout M, _ body: (FieldLocations) throws -> Void) rethrows {
    guard let offsets, !isOfClass else { preconditionFailure("the fields cannot be filled in place") }
    try withUnsafeMutableBytes(of: &model) { try body(FieldLocations(in: $0.baseAddress, at: offsets)) }
  }

  /// Returns the offsets of the fields, or `nil` if the address of a box is not found at exactly one offset.
  private static func offsets<M: Model>(of mirror: ModelMirror, in model: M) -> ContiguousArray<Int>? {
    withUnsafeBytes(of: model) { bytes in
      guard M.self is AnyObject.Type else { return offsets(of: mirror.fields, in: bytes) }
      // A custom mirror may show fields of other objects.
      guard !mirror.isCustom else { return nil }
      // An object begins with the address of its class. The fields are aligned, and none overlaps another or that
      // address, so they end no earlier than fields without gaps would. All fields have the same size.
      let field = MemoryLayout<Field<Bool>>.self
      let size = MemoryLayout<UnsafeRawPointer>.size + (mirror.fields.count - 1) * field.stride + field.size
      let object = bytes.load(as: UnsafeRawPointer.self)
      return offsets(of: mirror.fields, in: UnsafeRawBufferPointer(start: object, count: size))
    }
  }

  private static func offsets(
    of fields: [ModelMirror.Field], in bytes: UnsafeRawBufferPointer
  ) -> ContiguousArray<Int>? {
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

  fileprivate init(in memory: UnsafeMutableRawPointer?, at offsets: ContiguousArray<Int>) {
    boxes = []
    self.memory = memory
    self.offsets = offsets
  }

  var count: Int { memory == nil ? boxes.count : offsets.count }

  subscript(property: Int) -> FieldLocation {
    guard let memory else { return .box(boxes[property]) }
    return .field(memory + offsets[property])
  }
}
