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

  /// Returns a record as a fleet's server would send it: most strings differ from car to car, and a few are shared by
  /// many cars.
  static func sample(_ number: Int) -> CarRecord {
    var random = SplitMix(seed: UInt64(number))
    func digits(_ count: Int) -> String {
      String((0..<count).map { _ in Character(String(random.next(below: 10))) })
    }
    func time() -> String {
      "2026-11-\(10 + random.next(below: 20)) 1\(random.next(below: 10)):\(10 + random.next(below: 50)):\(digits(2))"
    }
    func pick(_ texts: String...) -> String { texts[random.next(below: texts.count)] }
    return CarRecord(
      carID: digits(6), plate: "HH-\(pick("GD", "AB", "XK", "TT")) \(digits(4))", name: "Van \(number)",
      imei: "8681\(digits(11))", sim: "1440\(digits(9))",
      latitude: "53.\(digits(6))", longitude: "9.\(digits(6))",
      speed: "\(random.next(below: 130))", direction: "\(random.next(below: 360))",
      address:
        "\(pick("Elbchaussee", "Steindamm", "Mundsburger Damm", "Jungfernstieg")) \(digits(3)), 2\(digits(4)) Hamburg",
      gpsTime: time(), heartTime: time(), activeTime: time(), expireTime: time(),
      status: pick("driving", "parked", "idle", "offline"), acc: pick("0", "1"), battery: "\(random.next(below: 100))%",
      temperature: "\(random.next(below: 40)).\(digits(1))", mileage: "\(digits(5)).\(digits(1))",
      ownerName: "Owner \(digits(5))", ownerPhone: "040\(digits(7))", groupID: "\(random.next(below: 20))",
      groupName: "Group \(random.next(below: 20))", remark: "", isOnline: random.next(below: 4) > 0,
      isTracked: random.next(below: 5) > 0)
  }
}

/// A small struct that contains another one.
struct SmallRecord: Codable, Equatable, Sendable {
  struct Size: Codable, Equatable, Sendable {
    var width = 3
    var height = 4
  }

  var id = 1
  var name = "short"
  var size = Size()
}

/// SplitMix64: the same numbers in every run.
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15
  }

  mutating func next(below bound: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ mixed >> 31) % UInt64(bound))
  }
}

/// A record that contains other records: models, arrays, a dictionary, optionals and an enum with payloads.
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
