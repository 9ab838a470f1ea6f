/// A plain value with fields of several kinds.
public struct CarInfo: Codable, Hashable, Sendable {
  public var plate: String
  public var speed: Int
  public var isOnline: Bool
  public var note: String?

  public init(_ plate: String, speed: Int = 0, isOnline: Bool = false, note: String? = nil) {
    self.plate = plate
    self.speed = speed
    self.isOnline = isOnline
    self.note = note
  }
}

/// Models in models, in arrays and in dictionaries.
public struct Garage: Codable, Hashable, Sendable {
  /// A type inside another one, which is part of its name.
  public struct Slot: Codable, Hashable, Sendable {
    public var number: Int
    public var car: CarInfo?

    public init(number: Int, car: CarInfo? = nil) {
      self.number = number
      self.car = car
    }
  }

  public var owner: String
  public var cars: [CarInfo]
  public var slotsByLevel: [String: [Slot]]
  public var branches: [Garage]

  public init(
    owner: String, cars: [CarInfo] = [], slotsByLevel: [String: [Slot]] = [:], branches: [Garage] = []
  ) {
    self.owner = owner
    self.cars = cars
    self.slotsByLevel = slotsByLevel
    self.branches = branches
  }

  public static let sample = Garage(
    owner: "Ada", cars: [CarInfo("B 123", speed: 60, isOnline: true), CarInfo("HH 7", note: "blue")],
    slotsByLevel: ["ground": [Slot(number: 1, car: CarInfo("B 123", speed: 60)), Slot(number: 2)], "top": []],
    branches: [Garage(owner: "Grace", branches: [Garage(owner: "Edsger")])])
}

/// An enum with every kind of payload.
public indirect enum Command: Codable, Hashable, Sendable {
  case stop
  case drive(Int)
  case turn(degrees: Double, isLeft: Bool)
  case sequence([Command])
  case afterwards(Command, then: Command?)
}

/// An enum that is stored as its raw value and can be a dictionary's key.
public enum Weekday: String, Codable, Hashable, Sendable, CaseIterable {
  case monday, tuesday, sunday
}
