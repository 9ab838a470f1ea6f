/// The fields of an object that a reader knows.
package struct KnownFields: Sendable {
  /// The fields that the reader reads as a whole or omits on purpose.
  package var whole: Set<String> = []

  /// The objects that the reader reads in part, each with its known fields.
  package var parts: [String: KnownFields] = .init()

  package init() {}
}
