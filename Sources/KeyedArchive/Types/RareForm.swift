/// A type of FoundationForms that writes its stored form with an encoder. Its name stands before it where no reader
/// knows the type.
package protocol RarelyEncodable {
  func encodeStored(to encoder: any Encoder) throws
}

/// A type of FoundationForms that reads its stored form.
package protocol RarelyDecodable {
  init(stored decoder: ValueDecoder) throws
}

/// A generic type of FoundationForms that is named after its only type argument; see ``GenericType``.
package protocol RareGenericType {
  static var argument: Any.Type { get }

  /// The type that is made of another argument.
  static func type<Argument>(of _: Argument.Type) -> Any.Type
}
