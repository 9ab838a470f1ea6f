import Foundation
import GlobalData
import GlobalDataImporting
import ModelMapping
import Testing

/// The findings of models, which read leniently, in the report of an import.
@Suite struct ModelFindingsTests {
  private struct Car: Model {
    @Field var plate = ""
    @Field var speed = 0
    @Field var trips: [Int] = []
  }

  private func importing(
    _ text: String, skipping exceptions: GlobalData.ImportExceptions = [], decoder: JSONDecoder = JSONDecoder()
  ) async throws -> ImportReport {
    let types: [String: any (Codable & Sendable).Type] = ["car": Car.self, "van": Car.self, "cars": [Car].self]
    return try await ArchiveFixtures.store()
      .importJSON(Data(text.utf8), as: types, skipping: exceptions, decoder: decoder)
  }

  @Test func conversionsAndMissingFieldsOfAModelAreReported() async throws {
    let report = try await importing(
      #"{"car": {"plate": "B 1", "speed": "24", "trips": [1], "colour": "red"}, "van": {"speed": 5, "trips": []}}"#)
    #expect(report.modelFindings.entries.map(\.path.description) == ["car.speed", "car.colour", "van.plate"])
    #expect(report.modelFindings.entries.map(\.kind) == [.coercion, .unknownKey, .missing])
    #expect(report.moreModelFindings == 0 && report.description.contains("car.speed: converted"))
  }

  @Test func entriesThatAreNotImportedAreNotReported() async throws {
    let report = try await importing(
      #"{"car": {"plate": 7, "speed": [], "trips": []}, "van": {"plate": "B 1", "speed": 5, "trips": []}}"#,
      skipping: .unreadable)
    #expect(report.importedKeys == ["van"] && report.modelFindings.isEmpty)
  }

  @Test func theFirstThousandFindingsAreListedAndTheOthersCounted() async throws {
    let cars = Array(repeating: #"{"plate": 7, "speed": "5", "trips": []}"#, count: 700).joined(separator: ",")
    let report = try await importing("{\"cars\": [\(cars)], \"car\": {\"plate\": 1}}")
    #expect(report.modelFindings.entries.count == 1000 && report.moreModelFindings == 403)
    #expect(report.description.hasSuffix("and 403 more findings of models"))
  }

  @Test func theCallersDecoderIsUsedAndNotChanged() async throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .custom { keys in keys.last.map { Key($0.stringValue.lowercased()) } ?? Key("") }
    let text = #"{"car": {"PLATE": "B 1", "SPEED": "5", "TRIPS": []}}"#
    let report = try await importing(text, decoder: decoder)
    #expect(report.modelFindings.entries.map(\.path.description) == ["car.speed"])
    #expect(decoder.userInfo.isEmpty)
    // A collector of the caller receives them instead.
    let collector = ReportCollector()
    decoder.userInfo[.reportCollector] = collector
    let other = try await importing(text, decoder: decoder)
    #expect(collector.report.entries.count == 1 && other.modelFindings.isEmpty)
  }

  @Test func modelsInArchivesAreReportedToo() async throws {
    let store = ArchiveFixtures.store()
    let url = ArchiveFixtures.folders[0].appending(path: "several.plist")
    let report = try await store.importKeyedArchive(
      at: url, as: ["CarInfo": Car.self], skipping: .unreadable)
    #expect(report.modelFindings.entries(.missing).map(\.path.description).contains("car.trips"), "\(report)")
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }
}
