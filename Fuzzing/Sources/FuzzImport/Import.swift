import Dispatch
import Foundation
import FuzzSupport
import GlobalData
import GlobalDataImporting
import ModelMapping

// Imports archives of NSKeyedArchiver, property lists and JSON into a store in memory. The first byte selects the kind.

@main enum ImportTarget {
  static func main() { exit(fuzz(check)) }
}

private struct Car: Codable, Sendable {
  var plate: String
  var speed: Int
  var isOnline: Bool
  var note: String?
}

/// A model that decodes leniently, and reports what it changes.
private struct Van: Model {
  @Field var plate = ""
  @Field var speed = 0
  @Field("owner", "name") var owner: String?
  @Field var trips: [Double] = []
  @Field var next: [Van] = []
}

private struct Garage: Codable, Sendable {
  var owner: String
  var cars: [Car]
  var carsByLevel: [String: [Car]]
  var favourite: Car?
  var opened: Date
  var site: URL
}

/// A type that accepts any input, with one property for each way of decoding.
private final class Anything: Codable, Sendable {
  let name: String?
  let next: [Anything]?
  let numbers: [Int: Double]?
  let places: [CGPoint]?
  let decimal: Decimal?
  let tree: ArchiveValue?

  private enum CodingKeys: CodingKey {
    case name, next, numbers, places, decimal, tree, wrong
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    next = try container.decodeIfPresent([Anything].self, forKey: .next)
    numbers = try container.decodeIfPresent([Int: Double].self, forKey: .numbers)
    places = try container.decodeIfPresent([CGPoint].self, forKey: .places)
    decimal = try container.decodeIfPresent(Decimal.self, forKey: .decimal)
    tree = try container.decodeIfPresent(ArchiveValue.self, forKey: .tree)
    if container.allKeys.contains(.wrong) { _ = try container.nestedUnkeyedContainer(forKey: .wrong) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(next, forKey: .next)
    try container.encodeIfPresent(tree, forKey: .tree)
  }
}

private let types: [String: any (Codable & Sendable).Type] = [
  "CarInfo": Car.self, "Garage": Garage.self, "Node": Anything.self, "Animal": Anything.self, "Stranger": Anything.self,
  "LegacyPlainCar": Van.self,
]

private func check(_ bytes: [UInt8]) {
  guard let kind = bytes.first else { return }
  let data = Data(bytes.dropFirst())
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    await importing(data, kind)
    isDone.signal()
  }
  isDone.wait()
}

private func importing(_ data: Data, _ kind: UInt8) async {
  var configuration = GlobalData.Configuration()
  configuration.registry = TypeRegistry()
  let store = GlobalData.inMemory(configuration: configuration)
  let exceptions: GlobalData.ImportExceptions = kind & 4 == 0 ? [] : .unreadable
  do {
    let report =
      switch kind & 3 {
      case 0: try await store.importJSON(data, as: ["car": Car.self, "van": Van.self], skipping: exceptions)
      case 1: try await store.importPropertyList(data, as: types, skipping: exceptions)
      default: try await store.importKeyedArchive(data, as: types, skipping: exceptions)
      }
    _ = report.description
    if !report.modelFindings.entries.allSatisfy({ $0.path.components.count > 0 }) { finding("no place: \(report)") }
    if store.allKeys != report.importedKeys { finding("another report than store: \(report) \(store.allKeys)") }
    // Imported values can be read, with and without their types.
    for key in store.allKeys {
      _ = try store.object(ArchiveValue.self, forKey: key)
      _ = try store.object(forKey: key)
    }
  } catch let error as GlobalDataError {
    _ = error.description
    if !store.allKeys.isEmpty, error.code == .importFailed { finding("a failed import left something: \(error)") }
    if error.code != .importFailed, error.code != .invalidKey, error.code != .encodingFailed {
      finding("an error of another kind: \(error)")
    }
  } catch {
    finding("an error of another kind: \(error)")
  }
}
