/// The user who is logged in.
struct User: Codable, Sendable {
  var userID: String
  var name: String
  var phone: String
  var company: String
  var role: String
  var email: String?
  var vehicleLimit: Int
}

extension User: CustomStringConvertible {
  var description: String {
    "\(name), \(role) at \(company), may track \(vehicleLimit) cars"
  }
}
