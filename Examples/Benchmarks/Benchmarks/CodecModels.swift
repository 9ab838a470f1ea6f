import Foundation

/// A tracked car as a server sends it: 26 short fields.
struct CarRecord: Codable, Equatable, Sendable {
  var carID: String
  var plate: String
  var name: String
  var imei: String
  var sim: String
  var latitude: String
  var longitude: String
  var speed: String
  var direction: String
  var address: String
  var gpsTime: String
  var heartTime: String
  var activeTime: String
  var expireTime: String
  var status: String
  var acc: String
  var battery: String
  var temperature: String
  var mileage: String
  var ownerName: String
  var ownerPhone: String
  var groupID: String
  var groupName: String
  var remark: String
  var isOnline: Bool
  var isTracked: Bool

  static func sample(_ number: Int) -> CarRecord {
    CarRecord(
      carID: String(40_000 + number), plate: "HH-GD \(1000 + number)", name: "Van \(number)",
      imei: "86812003\(1_000_000 + number * 37)", sim: "14400\(1_000_000 + number * 91)",
      latitude: "53.\(100_000 + number * 7 % 900_000)", longitude: "9.\(900_000 - number * 11 % 800_000)",
      speed: "\(number % 130)", direction: "\(number * 13 % 360)", address: "Street \(number % 211), Hamburg",
      gpsTime: "2026-11-20 10:\(10 + number % 50):00", heartTime: "2026-11-20 11:\(10 + number % 50):00",
      activeTime: "2024-03-01", expireTime: "2027-03-01", status: number % 3 == 0 ? "driving" : "parked",
      acc: "\(number % 2)", battery: "\(number % 100)%", temperature: "\(number % 30)", mileage: "\(number * 17)",
      ownerName: "Owner \(number % 97)", ownerPhone: "040\(5_550_000 + number)", groupID: "\(number % 7)",
      groupName: "Group \(number % 7)", remark: "", isOnline: number % 4 != 0, isTracked: number % 5 != 0)
  }
}

/// A record with records in it: models, arrays, a dictionary, optionals and an enum with payloads.
struct NestedRecord: Codable, Equatable, Sendable {
  struct Position: Codable, Equatable, Sendable {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
  }
  enum Event: Codable, Equatable, Sendable {
    case started
    case moved(to: Position)
    case alarm(code: Int, text: String)
  }
  struct Trip: Codable, Equatable, Sendable {
    var id: Int
    var from: Position
    var to: Position
    var events: [Event]
  }

  var id: Int
  var name: String
  var trips: [Trip]
  var labels: [String: String]
  var last: Position?

  static func sample(_ number: Int) -> NestedRecord {
    let position = Position(
      latitude: 53.1 + Double(number) / 1000, longitude: 9.9, altitude: number % 2 == 0 ? 12 : nil)
    let trip = Trip(
      id: number, from: position, to: position,
      events: [.started, .moved(to: position), .alarm(code: number % 10, text: "low battery")])
    return NestedRecord(
      id: number, name: "Record \(number)", trips: [trip, trip], labels: ["color": "red", "size": "\(number % 9)"],
      last: number % 3 == 0 ? nil : position)
  }
}
