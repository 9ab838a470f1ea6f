// The coders of archives read and write most fields of models directly. The containers of the standard library cost as
// much as the field itself, because they look up the types of each call at run time.

/// A decoder whose fields can be read without a container.
package protocol TextFieldsDecoder: AnyObject {
  /// Returns the text of the next field if that field has a certain name and a short text, and `nil` if the field has
  /// to be found and read in general. Advances the containers of the decoder, too.
  ///
  /// The decoder must have opened its fields, by a call of `container(keyedBy:)`.
  func nextText(_ name: String) throws -> String?

  /// Whether the user info only says that the coding is for storage.
  var isOnlyStorage: Bool { get }

  /// Notes that a part of the value is stored in an earlier form.
  func noteEarlierForm()

  /// Notes a field that is not read, if anyone asked for such fields.
  func noteUnreadField(_ path: [any CodingKey])
}

/// An encoder whose fields can be written without a container.
package protocol TextFieldsEncoder {
  /// The fields of the value. The encoder must have opened them, by a call of `container(keyedBy:)`.
  var textFields: NewTextFields { get }
}

/// The fields of a value that is being encoded. Passing them costs one reference count, and an encoder several.
package struct NewTextFields {
  private let output: any TextFieldsOutput
  private let slot: Int64

  package init(_ output: any TextFieldsOutput, in slot: Int64) {
    self.output = output
    self.slot = slot
  }

  /// Whether the user info only says that the coding is for storage.
  package var isOnlyStorage: Bool { output.isOnlyStorage }

  /// Writes a field, like a container of the encoder.
  @inline(__always)
  package func encode(_ text: String, named name: String) throws {
    try output.encode(text, named: name, in: slot)
  }
}

/// The destination of an encoder. A slot is a number that only the output understands.
package protocol TextFieldsOutput: AnyObject {
  var isOnlyStorage: Bool { get }

  func encode(_ text: String, named name: String, in slot: Int64) throws
}
