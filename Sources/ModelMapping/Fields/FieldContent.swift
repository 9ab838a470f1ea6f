/// The value of a field: in the field itself if it is one of the most frequent scalars, and in a box otherwise.
///
/// Allocating and freeing a box takes several times as long as reading a short text. Other values are in boxes, because
/// a model may contain a field of its own type.
@frozen @usableFromInline enum FieldContent<Value> {
  case box(FieldBox<Value>)
  // Only if `Value` is exactly this type.
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  /// The value was moved out for a change. No other access sees this case, because the change is exclusive.
  case taken

  /// In a program, which knows `Value`, these comparisons of types are constants.
  @inlinable init(_ value: Value) {
    if Value.self == String.self, let text = value as? String {
      self = .text(text)
    } else if Value.self == Int.self, let integer = value as? Int {
      self = .integer(integer)
    } else if Value.self == Double.self, let number = value as? Double {
      self = .number(number)
    } else if Value.self == Bool.self, let flag = value as? Bool {
      self = .flag(flag)
    } else {
      self = .box(FieldBox(value))
    }
  }

  /// Creates the content of a field, and records it in a box if the model being created is filled through boxes.
  /// Inlined into programs: creating an object of a generic class takes several times as long if its type is only known
  /// at run time.
  @inlinable static func make(_ value: () -> Value, declaring declaration: () -> AnyObject) -> FieldContent {
    guard let collector = FieldCollector.open() else { return FieldContent(value()) }
    let box = FieldBox(value())
    collector.close(box, declaration)
    return .box(box)
  }

  /// The value, for code that does not know its type. The casts in ``value`` would look up that type.
  var anyValue: Value { if case .box(let box) = self { box.value } else { value } }

  @inlinable var value: Value {
    switch self {
    case .box(let box): return box.value
    case .text(let text): if let value = text as? Value { return value }
    case .integer(let integer): if let value = integer as? Value { return value }
    case .number(let number): if let value = number as? Value { return value }
    case .flag(let flag): if let value = flag as? Value { return value }
    case .taken: break
    }
    preconditionFailure("a field was read while it was being changed")
  }
}

extension FieldContent: Sendable where Value: Sendable {}

/// The location of a field's value in an instance.
enum FieldLocation {
  case box(AnyObject)
  /// The ``Field`` in the memory of the instance; see ``FieldFinder``.
  case field(UnsafeMutableRawPointer)

  /// The value. The downcast is safe because the caller has compared the class of a box with the one for this type. A
  /// conditional cast would look up the class for each field.
  @inline(__always)
  func value<Value>(as type: Value.Type) -> Value {
    switch self {
    case .box(let box): unsafeDowncast(box, to: FieldBox<Value>.self).value
    case .field(let field): field.assumingMemoryBound(to: Field<Value>.self).pointee.content.anyValue
    }
  }

  /// Sets the value, under the same conditions.
  @inline(__always)
  func put<Value>(_ value: Value) {
    switch self {
    case .box(let box): unsafeDowncast(box, to: FieldBox<Value>.self).value = value
    case .field(let field): field.assumingMemoryBound(to: Field<Value>.self).pointee.wrappedValue = value
    }
  }
}
