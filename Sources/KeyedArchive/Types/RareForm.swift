/// A type in FoundationForms that writes its stored form with an encoder. The type's name is written first if no reader
/// knows the type.
package protocol RarelyEncodable {
  func encodeStored(to encoder: any Encoder) throws
}

/// A type in FoundationForms that reads its stored form.
package protocol RarelyDecodable {
  init(stored decoder: ValueDecoder) throws
}

/// A generic type in FoundationForms that is named after its only type argument; see ``GenericType``.
package protocol RareGenericType {
  static var argument: Any.Type { get }

  /// Returns the same generic type with another type argument.
  static func type<Argument>(of _: Argument.Type) -> Any.Type
}
