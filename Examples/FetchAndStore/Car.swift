import Foundation
import GlobalData
import ModelMapping

/// A tracked car, as described by a server that sends numbers as text and omits unknown values.
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

/// The answer of the server: an envelope around the cars. A car that cannot be read is left out; the others are kept.
struct Answer: Model {
  @Field("body", "data", options: .lossy) var cars: [Car] = []
}
