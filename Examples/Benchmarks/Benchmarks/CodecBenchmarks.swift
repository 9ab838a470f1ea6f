import Foundation
import GlobalData

/// Times encoding and decoding of the same values with this package's coders and Foundation's.
enum CodecBenchmarks {
  private static let ours = "GlobalData: KeyedArchiveEncoder, KeyedArchiveDecoder"
  private static let json = "JSONEncoder, JSONDecoder"
  private static let propertyList = "PropertyListEncoder, PropertyListDecoder, binary"
  private static let copying = "floor: memcpy"
  private static let leastCoder = "floor: coders without names, types and checks"

  static func run(_ report: inout Report) throws {
    let cars = (0..<1000).map(CarRecord.sample)
    let records = (0..<1000).map(NestedRecord.sample)
    let doubles = (0..<100_000).map { Double($0) * 1.1 }
    let data = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try compare("Coding 1,000 cars of 26 short fields", cars, isFlat: true, in: &report)
    try compare("Coding 1,000 nested records", records, in: &report)
    try compareBlock("Coding 100,000 doubles", doubles, byteCount: doubles.count * 8, in: &report)
    try compareBlock("Coding 1 MiB of Data", data, byteCount: data.count, in: &report)
    // The cost of one small value, as a store writes it: the fixed part of every call.
    try compare("Coding 1 car", CarRecord.sample(1), rounds: 2000, isFlat: true, in: &report)
    try compare("Coding 1 integer", 42, rounds: 2000, isInLists: false, in: &report)
    try compare("Coding 1 short text", "a short text", rounds: 2000, isInLists: false, in: &report)
    try compare("Coding 1 small struct", SmallRecord(), rounds: 2000, isFlat: true, in: &report)
  }

  /// Does a fixed amount of work of one kind, for a profiler: `profile encode cars`, `profile decode nested`,
  /// `profile decode models`, `profile decode converted`.
  static func profile(_ arguments: [String]) throws {
    let times = arguments.last.flatMap { Int($0) } ?? 200
    let isDecoding = arguments.contains("decode")
    let isJSON = arguments.contains("json")
    if arguments.contains("converted") {
      let json = try JSONEncoder().encode((0..<1000).map(CarRecord.sample))
      for _ in 0..<times { blackHole(try [ConvertedCar](json: json)) }
    } else if arguments.contains("models") {
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

  /// Decodes models with their own JSON initializer, and other values with Foundation's decoder.
  private static func decoded<Value: Codable>(_ json: Data, as type: Value.Type) throws -> Any {
    if type == CarModel.self { return try [CarModel](json: json) }
    return try JSONDecoder().decode([Value].self, from: json)
  }

  /// `isInLists` is whether a property list can hold the value on its own, and `isFlat` is whether ``FloorEncoder``
  /// supports its types.
  private static func compare<Value: Codable>(
    _ title: String, _ value: Value, rounds: Int = 40, isInLists: Bool = true, isFlat: Bool = false,
    in report: inout Report
  ) throws {
    let archive = try KeyedArchiveEncoder().encode(value)
    let text = try JSONEncoder().encode(value)
    let listEncoder = PropertyListEncoder()
    listEncoder.outputFormat = .binary
    let list = isInLists ? try listEncoder.encode(value) : nil
    let listSize = list.map { ", binary property list \($0.count)" } ?? ""
    print("\n\(title): \(archive.count) bytes; JSON \(text.count)\(listSize)")
    var encoders = [
      Contender(name: ours) { blackHole(try KeyedArchiveEncoder().encode(value)) },
      Contender(name: json) { blackHole(try JSONEncoder().encode(value)) },
    ]
    var decoders = [
      Contender(name: ours) { blackHole(try KeyedArchiveDecoder().decode(Value.self, from: archive)) },
      Contender(name: json) { blackHole(try JSONDecoder().decode(Value.self, from: text)) },
    ]
    if let list {
      encoders.append(Contender(name: propertyList) { blackHole(try listEncoder.encode(value)) })
      decoders.append(
        Contender(name: propertyList) { blackHole(try PropertyListDecoder().decode(Value.self, from: list)) })
    }
    if isFlat {
      let bytes = try FloorEncoder.encode(value)
      encoders.append(Contender(name: leastCoder) { blackHole(try FloorEncoder.encode(value)) })
      decoders.append(Contender(name: leastCoder) { blackHole(try FloorDecoder.decode(Value.self, from: bytes)) })
    }
    try report.add(
      title,
      [
        ContenderColumn(name: "encode", rounds: rounds, contenders: encoders),
        ContenderColumn(name: "decode", rounds: rounds, contenders: decoders),
      ])
  }

  /// Compares the coders, for a value that is one block of memory, with a copy of that block into newly allocated
  /// memory.
  private static func compareBlock<Value: Codable>(
    _ title: String, _ value: Value, byteCount: Int, in report: inout Report
  ) throws {
    let archive = try KeyedArchiveEncoder().encode(value)
    let source = Data(count: byteCount)
    let copy = Contender(name: copying) {
      blackHole(source.withUnsafeBytes { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } })
    }
    let encoder = Contender(name: ours) { blackHole(try KeyedArchiveEncoder().encode(value)) }
    let decoder = Contender(name: ours) { blackHole(try KeyedArchiveDecoder().decode(Value.self, from: archive)) }
    try report.add(
      title,
      [
        ContenderColumn(name: "encode", rounds: 200, contenders: [copy, encoder]),
        ContenderColumn(name: "decode", rounds: 200, contenders: [copy, decoder]),
      ])
  }
}
