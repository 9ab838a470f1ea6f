/// The reason why bytes cannot be read as a property list.
struct PropertyListError: Error, Hashable, CustomStringConvertible {
  static let exhausted = PropertyListError("its values refer to each other so often that they would exhaust memory")

  let description: String

  init(_ description: String) { self.description = description }
}
