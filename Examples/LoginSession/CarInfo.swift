/// A tracked car as the server describes it: strings throughout, and two flags.
struct CarInfo: Codable, Sendable {
  var carID: String
  var carName: String
  var plate: String
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
  var isOnline: Bool
  var isTracked: Bool

  private enum CodingKeys: String, CodingKey {
    case carID = "id"
    case carName, plate, imei, sim
    case latitude, longitude, speed, direction, address
    case gpsTime, heartTime, activeTime, expireTime
    case status, acc, battery, temperature, mileage
    case ownerName, ownerPhone
    case isOnline, isTracked
  }
}

extension CarInfo: CustomStringConvertible {
  var description: String {
    "\(carID) \(carName), plate \(plate.isEmpty ? "none" : plate), \(status), \(isOnline ? "online" : "offline")"
  }
}
