import Foundation
import GlobalData

/// The data that is stored between login and logout.
struct Session {
  /// The keys of the store.
  enum Key {
    static let user = "user"
    static let cars = "cars"
    static let isLoggedIn = "isLoggedIn"
    static let mixed = "mixed"
  }

  var user: User
  var cars: [CarInfo]
  var isLoggedIn: Bool

  /// Returns the session that an earlier run stored, read by naming each type, or `nil` if nobody is logged in.
  ///
  /// A store that cannot be read is an error. Treating it as empty would log the user out.
  static func stored() throws -> Session? {
    guard let isLoggedIn = try GlobalData.object(Bool.self, forKey: Key.isLoggedIn),
      let user = try GlobalData.object(User.self, forKey: Key.user),
      let cars = try GlobalData.object([CarInfo].self, forKey: Key.cars)
    else { return nil }
    return Session(user: user, cars: cars, isLoggedIn: isLoggedIn)
  }

  /// Removes the session. When this returns, the file is gone.
  static func clear() async throws {
    try await GlobalData.clear()
  }

  /// Stores the session in one write. When this returns, the file on disk holds all of it. It never holds a part.
  func store() async throws {
    try await GlobalData.update { data in
      try data.set(user, forKey: Key.user)
      try data.set(cars, forKey: Key.cars)
      try data.set(mixed, forKey: Key.mixed)
      try data.set(isLoggedIn, forKey: Key.isLoggedIn)
    }
  }

  /// An array of several types, whose elements keep their types.
  private var mixed: [any Sendable] {
    let values: [any Sendable] = ["the first car, the number of cars, the time of the login", cars.count, Date.now]
    guard let car = cars.first else { return values }
    return [car] + values
  }
}

extension Session {
  init(_ body: LoginAnswer.Body) {
    self.init(user: body.user, cars: body.data, isLoggedIn: true)
  }
}
