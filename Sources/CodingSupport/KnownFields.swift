/// What a reader knows of the fields of an object.
package struct KnownFields: Sendable {
  /// The fields that it reads as a whole, or leaves out on purpose.
  package var whole: Set<String> = []

  /// The objects of which it reads some fields, with what it knows of each.
  package var parts: [String: KnownFields] = .init()

  package init() {}
}
