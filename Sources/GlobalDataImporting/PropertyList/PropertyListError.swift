/// Why bytes are no property list that can be read.
struct PropertyListError: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
