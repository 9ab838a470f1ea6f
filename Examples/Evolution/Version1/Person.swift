/// The model of the first release: flat, and with nothing declared for evolution.
struct Person: Codable, Sendable, CustomStringConvertible {
  var name: String
  var books: [String]
  var city: String
  var age: Int32

  var description: String { "\(name), \(age), of \(city), who reads \(books.joined(separator: " and "))" }
}
