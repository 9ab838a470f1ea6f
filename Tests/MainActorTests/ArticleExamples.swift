import GlobalData
import ModelMapping
import Testing

// Examples of articles for a project whose code is on the main actor by default.

nonisolated class Attachment: Archivable, @unchecked Sendable {
  class var formerArchiveTags: [ArchiveTag] { [] }

  var name = ""
}

nonisolated final class Picture: Attachment, @unchecked Sendable {
  override class var formerArchiveTags: [ArchiveTag] { ["Photo"] }
}

nonisolated struct Color: Sendable {
  var hex: String

  init(hex: String) throws { self.hex = hex }
}

nonisolated extension FieldConverter<Color> {
  static var hex: FieldConverter {
    FieldConverter(reading: { (text: String) in try Color(hex: text) }, writing: { $0.hex })
  }
}

struct Pen: Model {
  @Field("colour", as: .hex) var color: Color? = nil
}

class Vehicle: Model, @unchecked Sendable {
  @Field("vehicle_id") var id = ""
  @Field var wheels = 4
  required init() {}
}

nonisolated protocol VehicleModel: Model {}

final class Bus: Vehicle, VehicleModel, @unchecked Sendable {
  @Field var seats = 50
}

@Suite struct ArticleExamples {
  private let store: GlobalData

  init() {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    store = GlobalData.inMemory(configuration: configuration)
  }

  @Test func aSubclassIsReadUnderItsFormerName() async throws {
    store.register(Attachment.self, Picture.self)
    var old = ArchiveObject(tag: "Photo")
    old["name"] = "Rome"
    try await store.set(ArchiveValue.object(old), forKey: "attachment")
    let picture = try store.object(Attachment.self, forKey: "attachment")
    #expect(picture is Picture && picture?.name == "Rome")
  }

  @Test func aFieldWithAConverterOfOnesOwnIsReadAndWritten() throws {
    var pen = try Pen(json: #"{"colour": "ff0000"}"#)
    #expect(pen.color?.hex == "ff0000")
    pen.color?.hex = "00ff00"
    #expect(try String(decoding: pen.json(), as: UTF8.self) == #"{"colour":"00ff00"}"#)
  }

  @Test func aSubclassOfAModelHasItsOwnFields() async throws {
    let bus = try Bus(json: #"{"vehicle_id": "HH 1", "seats": 60}"#)
    try await store.set(bus, forKey: "bus")
    let stored = try store.object(Bus.self, forKey: "bus")
    #expect(stored?.id == "HH 1" && stored?.wheels == 4 && stored?.seats == 60)
  }
}
