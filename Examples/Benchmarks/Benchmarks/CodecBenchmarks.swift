import Foundation
import GlobalData

/// Encoding and decoding the same values with our coders and Foundation's.
enum CodecBenchmarks {
  static func run() throws {
    let cars = (0..<1000).map(CarRecord.sample)
    let records = (0..<1000).map(NestedRecord.sample)
    let doubles = (0..<100_000).map { Double($0) * 1.1 }
    let data = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try compare("1,000 cars of 26 short fields", cars, rounds: 40)
    try compare("1,000 nested records", records, rounds: 40)
    try compareBlock("100,000 doubles", doubles, byteCount: doubles.count * 8)
    try compareBlock("1 MiB of Data", data, byteCount: data.count)
    try compareSmall()
  }

  /// A fixed amount of work of one kind, for a profiler: `profile encode cars`, `profile decode nested`,
  /// `profile decode models`.
  static func profile(_ arguments: [String]) throws {
    let times = arguments.last.flatMap { Int($0) } ?? 200
    let isDecoding = arguments.contains("decode")
    let isJSON = arguments.contains("json")
    if arguments.contains("models") {
      try repeatWork((0..<1000).map(CarModel.sample), times, isDecoding: isDecoding, isJSON: isJSON)
    } else if arguments.contains("nested") {
      try repeatWork((0..<1000).map(NestedRecord.sample), times, isDecoding: isDecoding, isJSON: isJSON)
    } else {
      try repeatWork((0..<1000).map(CarRecord.sample), times, isDecoding: isDecoding, isJSON: isJSON)
    }
  }

  private static func repeatWork<Value: Codable>(
    _ values: [Value], _ times: Int, isDecoding: Bool, isJSON: Bool
  ) throws {
    let archive = try KeyedArchiveEncoder().encode(values)
    let json = try JSONEncoder().encode(values)
    for _ in 0..<times {
      switch (isDecoding, isJSON) {
      case (true, false): blackHole(try KeyedArchiveDecoder().decode([Value].self, from: archive))
      case (false, false): blackHole(try KeyedArchiveEncoder().encode(values))
      case (true, true): blackHole(try decoded(json, as: Value.self))
      case (false, true): blackHole(try JSONEncoder().encode(values))
      }
    }
  }

  /// Models by their own way from JSON, all else by that of Foundation.
  private static func decoded<Value: Codable>(_ json: Data, as type: Value.Type) throws -> Any {
    if type == CarModel.self { return try [CarModel](json: json) }
    return try JSONDecoder().decode([Value].self, from: json)
  }

  private static func compare<Value: Codable>(_ title: String, _ value: Value, rounds: Int) throws {
    let archive = try KeyedArchiveEncoder().encode(value)
    let json = try JSONEncoder().encode(value)
    let listEncoder = PropertyListEncoder()
    listEncoder.outputFormat = .binary
    let list = try listEncoder.encode(value)
    print("\n\(title): \(archive.count) bytes; JSON \(json.count), binary property list \(list.count)")
    try report(
      "\(title), encode",
      [
        Contender(name: "KeyedArchiveEncoder") { blackHole(try KeyedArchiveEncoder().encode(value)) },
        Contender(name: "JSONEncoder") { blackHole(try JSONEncoder().encode(value)) },
        Contender(name: "PropertyListEncoder, binary") { blackHole(try listEncoder.encode(value)) },
      ], rounds: rounds)
    try report(
      "\(title), decode",
      [
        Contender(name: "KeyedArchiveDecoder") {
          blackHole(try KeyedArchiveDecoder().decode(Value.self, from: archive))
        },
        Contender(name: "JSONDecoder") { blackHole(try JSONDecoder().decode(Value.self, from: json)) },
        Contender(name: "PropertyListDecoder, binary") {
          blackHole(try PropertyListDecoder().decode(Value.self, from: list))
        },
      ], rounds: rounds)
  }

  /// A value that is one block of memory, against a copy of that block into memory that is new each time.
  private static func compareBlock<Value: Codable>(_ title: String, _ value: Value, byteCount: Int) throws {
    let archive = try KeyedArchiveEncoder().encode(value)
    let source = Data(count: byteCount)
    let copy = Contender(name: "memcpy") {
      blackHole(source.withUnsafeBytes { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } })
    }
    try report(
      "\(title), encode",
      [copy, Contender(name: "KeyedArchiveEncoder") { blackHole(try KeyedArchiveEncoder().encode(value)) }],
      rounds: 200)
    try report(
      "\(title), decode",
      [
        copy,
        Contender(name: "KeyedArchiveDecoder") {
          blackHole(try KeyedArchiveDecoder().decode(Value.self, from: archive))
        },
      ], rounds: 200)
  }

  /// What one small value costs, as a store writes it: the fixed part of every call.
  private static func compareSmall() throws {
    let car = CarRecord.sample(1)
    let archive = try KeyedArchiveEncoder().encode(car)
    let json = try JSONEncoder().encode(car)
    try report(
      "1 car, encode",
      [
        Contender(name: "KeyedArchiveEncoder") { blackHole(try KeyedArchiveEncoder().encode(car)) },
        Contender(name: "JSONEncoder") { blackHole(try JSONEncoder().encode(car)) },
      ], rounds: 2000)
    try report(
      "1 car, decode",
      [
        Contender(name: "KeyedArchiveDecoder") {
          blackHole(try KeyedArchiveDecoder().decode(CarRecord.self, from: archive))
        },
        Contender(name: "JSONDecoder") { blackHole(try JSONDecoder().decode(CarRecord.self, from: json)) },
      ], rounds: 2000)
  }
}
