import GlobalData
import ModelMapping

/// A tracked car as the server describes it: all values are strings, except for two flags.
struct CarInfo: Model {
  @Field("id") var carID = ""
  @Field var carName = ""
  @Field var plate = ""
  @Field var imei = ""
  @Field var sim = ""
  @Field var latitude = ""
  @Field var longitude = ""
  @Field var speed = ""
  @Field var direction = ""
  @Field var address = ""
  @Field var gpsTime = ""
  @Field var heartTime = ""
  @Field var activeTime = ""
  @Field var expireTime = ""
  @Field var status = ""
  @Field var acc = ""
  @Field var battery = ""
  @Field var temperature = ""
  @Field var mileage = ""
  @Field var ownerName = ""
  @Field var ownerPhone = ""
  @Field var isOnline = false
  @Field var isTracked = false
}

extension CarInfo: CustomStringConvertible {
  var description: String {
    "\(carID) \(carName), plate \(plate.isEmpty ? "none" : plate), \(status), \(isOnline ? "online" : "offline")"
  }
}
