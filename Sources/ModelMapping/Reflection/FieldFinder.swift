/// Finds the fields of an instance.
///
/// A mirror does it, and takes some 20 µs for 25 fields: many times what the archive needs to read or write them. The
/// fields of structs are therefore read and filled where they are in the instance's memory.
///
/// This is safe for these reasons. The stored properties of a struct are in its memory, each at one offset that is the
/// same for all instances of the type. The offset of each field was found in two instances, with different boxes, by
/// the address of its box, which occurred nowhere else, and by the place of that address in a field of the same type.
/// The initializer that makes a box also makes the declaration, with the type of the value. If an address is not found,
/// the offsets are not used, and the boxes are found through a mirror, as they are for classes.
struct FieldFinder: Sendable {
  /// By the numbers of the properties.
  private let offsets: ContiguousArray<Int>?

  init<M: Model>(_ prototype: M, _ fields: [ModelMirror.Field]) {
    // Made in the same way as the prototype, so that all of its values are in boxes.
    let second = FieldCollector(capacity: fields.count).collect { M() }
    let offsets = FieldFinder.offsets(of: fields, in: prototype)
    self.offsets = offsets == FieldFinder.offsets(of: ModelMirror(second).fields, in: second) ? offsets : nil
  }

  /// Whether the fields are found without a mirror.
  var isFast: Bool { offsets != nil }

  /// Calls a function with the places of an instance of the type that the finder was made for, in order to read them.
  func withPlaces<M: Model, Result>(of model: M, _ body: (FieldPlaces) throws -> Result) rethrows -> Result {
    guard let offsets else { return try body(FieldPlaces(ContiguousArray(ModelMirror(model).fields.map(\.box)))) }
    // The body only reads. The other function gives places to fill.
    return try withUnsafeBytes(of: model) {
      try body(FieldPlaces(in: UnsafeMutableRawBufferPointer(mutating: $0), at: offsets))
    }
  }

  /// Calls a function with the places of an instance in order to fill them. The finder must be fast.
  func withPlaces<M: Model>(toFill model: inout M, _ body: (FieldPlaces) throws -> Void) rethrows {
    guard let offsets else { preconditionFailure("the offsets of the fields are unknown") }
    try withUnsafeMutableBytes(of: &model) { try body(FieldPlaces(in: $0, at: offsets)) }
  }

  /// The offsets of the fields, or `nil` when the address of a box is nowhere or at two offsets, or for a class.
  private static func offsets<M: Model>(of fields: [ModelMirror.Field], in model: M) -> ContiguousArray<Int>? {
    guard !(M.self is AnyObject.Type) else { return nil }
    return withUnsafeBytes(of: model) { bytes in
      var offsets = ContiguousArray<Int>()
      for field in fields {
        let address = UInt(bitPattern: Unmanaged.passUnretained(field.box).toOpaque())
        let places = bytes.offsets(ofWord: address)
        guard let place = places.first, places.count == 1, let inField = field.offsetOfBox, inField <= place else {
          return nil
        }
        offsets.append(place - inField)
      }
      return offsets
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The offsets at which a word is in memory.
  func offsets(ofWord word: UInt) -> [Int] {
    stride(from: 0, through: count - MemoryLayout<UInt>.size, by: MemoryLayout<UInt>.alignment)
      .filter { loadUnaligned(fromByteOffset: $0, as: UInt.self) == word }
  }
}

/// The places of one instance's values, by the numbers of the properties.
struct FieldPlaces {
  private let boxes: ContiguousArray<AnyObject>
  /// The instance's memory, and where the fields are in it. Used only in `withPlaces`, while that memory is there.
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

  subscript(property: Int) -> FieldPlace {
    guard let memory else { return .box(boxes[property]) }
    return .field(memory + offsets[property])
  }
}
