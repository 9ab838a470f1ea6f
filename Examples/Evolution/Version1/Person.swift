/// The first release: a flat model that states nothing.
struct Person: Codable, Sendable, CustomStringConvertible {
  var name: String
  var books: [String]
  var city: String
  var age: Int32

  var description: String { "\(name), \(age), of \(city), who reads \(books.joined(separator: " and "))" }
}
