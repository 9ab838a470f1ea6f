import Foundation
import GlobalData
import ModelMapping

/// A tracked car, as a server describes it that sends numbers as text and leaves out what it does not know.
struct Car: Model, Identifiable {
  @Field(json: "car_id", stored: "carID") var id = ""
  @Field("plate", formerly: "license_plate") var plate = ""
  @Field("position", "speed", ifInvalid: 0) var speed = 0.0
  @Field("position", "time", as: .unixSeconds) var time: Date?
  @Field("online") var isOnline = false
  @Field var status = OpenEnum(Status.parked)
  @Field(options: .orSingle) var drivers: [String] = []

  enum Status: String, Codable, Sendable {
    case driving, parked
  }
}

/// What the server sends: an envelope around the cars. A car that cannot be read costs only itself.
struct Answer: Model {
  @Field("body", "data", options: .lossy) var cars: [Car] = []
}
