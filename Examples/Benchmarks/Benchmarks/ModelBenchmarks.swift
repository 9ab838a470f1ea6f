import Foundation
import GlobalData
import ModelMapping

/// Compares models with fields with the same models whose code the compiler generates.
enum ModelBenchmarks {
  static func run(_ report: inout Report) throws {
    let plain = (0..<1000).map(CarRecord.sample)
    let json = try JSONEncoder().encode(plain)
    let models = try [CarModel](json: json)
    let archive = try KeyedArchiveEncoder().encode(plain)
    let modelArchive = try KeyedArchiveEncoder().encode(models)
    print("\n1,000 cars: JSON \(json.count) bytes, archive \(archive.count), of models \(modelArchive.count)")
    let byCompiler = "plain Codable"
    let byModel = "GlobalData: models"
    try report.add(
      "1,000 cars of 26 short fields, plain and as models",
      [
        ContenderColumn(
          name: "from JSON",
          contenders: [
            Contender(name: byCompiler) { blackHole(try JSONDecoder().decode([CarRecord].self, from: json)) },
            Contender(name: byModel) { blackHole(try [CarModel](json: json)) },
            Contender(name: "\(byModel), with a report") { blackHole(try [CarModel].decode(json: json)) },
            Contender(name: "\(byModel), by Foundation's coders") {
              blackHole(try JSONDecoder().decode([CarModel].self, from: json))
            },
          ]),
        ContenderColumn(
          name: "to JSON",
          contenders: [
            Contender(name: byCompiler) { blackHole(try JSONEncoder().encode(plain)) },
            Contender(name: byModel) { blackHole(try models.json()) },
            Contender(name: "\(byModel), by Foundation's coders") { blackHole(try JSONEncoder().encode(models)) },
          ]),
        ContenderColumn(
          name: "from the archive",
          contenders: [
            Contender(name: byCompiler) {
              blackHole(try KeyedArchiveDecoder().decode([CarRecord].self, from: archive))
            },
            Contender(name: byModel) {
              blackHole(try KeyedArchiveDecoder().decode([CarModel].self, from: modelArchive))
            },
          ]),
        ContenderColumn(
          name: "to the archive",
          contenders: [
            Contender(name: byCompiler) { blackHole(try KeyedArchiveEncoder().encode(plain)) },
            Contender(name: byModel) { blackHole(try KeyedArchiveEncoder().encode(models)) },
          ]),
      ])
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

/// Fields of ``CarRecord`` whose values have to be converted.
struct ConvertedCar: Model {
  @Field var carID = 0
  @Field var imei = 0
  @Field var latitude = 0.0
  @Field var longitude = 0.0
  @Field var speed = 0
  @Field var direction = 0
  @Field var acc = false
  @Field var temperature = 0.0
  @Field var mileage = 0.0
  @Field var groupID = 0
  @Field var isOnline = ""
  @Field var isTracked = ""
}
