import Foundation
import GlobalData

/// The types that the tests decode archived objects as. Their names differ from those of other tests' types, because an
/// import registers them.
enum Imported {
  struct Car: Codable, Equatable, Sendable {
    var plate: String
    var speed: Int
    var isOnline: Bool
    var note: String?
  }

  struct Garage: Codable, Equatable, Sendable {
    var owner: String
    var cars: [Car]
    var carsByLevel: [String: [Car]]
    var favourite: Car?
    var opened: Date
    var site: URL
  }

  /// A car whose copies can be distinguished.
  final class SharedCar: Codable, Sendable {
    let plate: String
    let speed: Int
  }

  struct SharingGarage: Codable, Sendable {
    var cars: [SharedCar]
    var favourite: SharedCar
  }

  class Animal: Codable, @unchecked Sendable {
    let name: String

    private enum CodingKeys: CodingKey {
      case name
    }

    required init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
    }
  }

  final class Dog: Animal, @unchecked Sendable {
    let tricks: [String]

    private enum CodingKeys: CodingKey {
      case tricks
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tricks = try container.decode([String].self, forKey: .tricks)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tricks, forKey: .tricks)
      try super.encode(to: container.superEncoder())
    }
  }

  /// A person in a family, without a reference back.
  struct Person: Codable, Equatable, Sendable {
    var name: String
    var next: [Person]?
  }

  struct Node: Codable, Equatable, Sendable {
    indirect enum Next: Codable, Equatable, Sendable {
      case node(Node)

      init(from decoder: any Decoder) throws {
        self = .node(try Node(from: decoder))
      }

      func encode(to encoder: any Encoder) throws {
        if case .node(let node) = self { try node.encode(to: encoder) }
      }
    }

    var name: String
    var next: Next?
  }

  static let garage: [String: any (Codable & Sendable).Type] = ["Garage": Garage.self, "CarInfo": Car.self]
}
