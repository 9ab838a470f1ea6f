import Foundation
import GlobalData

/// Models with fields against the same models with what the compiler writes.
enum ModelBenchmarks {
  static func run() throws {
    let plain = (0..<1000).map(CarRecord.sample)
    let json = try JSONEncoder().encode(plain)
    let models = try [CarModel](json: json)
    let archive = try KeyedArchiveEncoder().encode(plain)
    let modelArchive = try KeyedArchiveEncoder().encode(models)
    print(
      "\n1,000 cars of 26 short fields: JSON \(json.count) bytes, archive \(archive.count), of models \(modelArchive.count)"
    )
    try report(
      "1,000 cars from JSON",
      [
        Contender(name: "plain Codable, JSONDecoder") {
          blackHole(try JSONDecoder().decode([CarRecord].self, from: json))
        },
        Contender(name: "models, [CarModel](json:)") { blackHole(try [CarModel](json: json)) },
        Contender(name: "models, with a report") { blackHole(try [CarModel].decode(json: json)) },
        Contender(name: "models, JSONDecoder") {
          blackHole(try JSONDecoder().decode([CarModel].self, from: json))
        },
      ], rounds: 40)
    try report(
      "1,000 cars to JSON",
      [
        Contender(name: "plain Codable, JSONEncoder") { blackHole(try JSONEncoder().encode(plain)) },
        Contender(name: "models, json()") { blackHole(try models.json()) },
      ], rounds: 40)
    try report(
      "1,000 cars from the archive",
      [
        Contender(name: "plain Codable") {
          blackHole(try KeyedArchiveDecoder().decode([CarRecord].self, from: archive))
        },
        Contender(name: "models") { blackHole(try KeyedArchiveDecoder().decode([CarModel].self, from: modelArchive)) },
      ], rounds: 40)
    try report(
      "1,000 cars to the archive",
      [
        Contender(name: "plain Codable") { blackHole(try KeyedArchiveEncoder().encode(plain)) },
        Contender(name: "models") { blackHole(try KeyedArchiveEncoder().encode(models)) },
      ], rounds: 40)
  }
}

/// ``CarRecord`` with fields.
struct CarModel: Model {
  @Field var carID = ""
  @Field var plate = ""
  @Field var name = ""
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
  @Field var groupID = ""
  @Field var groupName = ""
  @Field var remark = ""
  @Field var isOnline = false
  @Field var isTracked = false

  /// The model of ``CarRecord/sample(_:)``.
  static func sample(_ number: Int) throws -> CarModel {
    try CarModel(json: JSONEncoder().encode(CarRecord.sample(number)))
  }
}
