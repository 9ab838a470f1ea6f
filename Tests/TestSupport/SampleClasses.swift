/// A base class. It is safe to send, because its properties never change.
open class Animal: Codable, @unchecked Sendable {
  public let name: String

  public init(name: String) {
    self.name = name
  }
}

/// A subclass that shares its superclass's container, as usual.
public final class Dog: Animal, @unchecked Sendable {
  public let tricks: [String]

  private enum CodingKeys: String, CodingKey {
    case tricks
  }

  public init(name: String, tricks: [String]) {
    self.tricks = tricks
    super.init(name: name)
  }

  public required init(from decoder: any Decoder) throws {
    tricks = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .tricks)
    try super.init(from: decoder)
  }

  public override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tricks, forKey: .tricks)
  }
}

/// A subclass that stores its superclass's properties separately, with a super encoder.
public final class Cat: Animal, @unchecked Sendable {
  public let lives: Int

  private enum CodingKeys: String, CodingKey {
    case lives
  }

  public init(name: String, lives: Int) {
    self.lives = lives
    super.init(name: name)
  }

  public required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    lives = try container.decode(Int.self, forKey: .lives)
    try super.init(from: container.superDecoder())
  }

  public override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(lives, forKey: .lives)
    try super.encode(to: container.superEncoder())
  }
}

/// A plain model that contains class instances, and does not know about archives.
public struct Household: Codable, Sendable {
  public var favourite: Animal
  public var guest: Animal?
  public var animals: [Animal]

  public init(favourite: Animal, guest: Animal? = nil, animals: [Animal]) {
    self.favourite = favourite
    self.guest = guest
    self.animals = animals
  }
}
