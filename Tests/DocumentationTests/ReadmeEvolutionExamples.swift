import GlobalData
import Testing

private struct People: Archivable {
  var plate: String
  var wheels: Int
  var habits: [String]
  var address: [String: String]

  static let formerArchiveTags: [ArchiveTag] = ["Person"]  // the type was renamed
  static let formerFieldNames = ["plate": ["licence"]]  // a field was renamed
  static var archiveDefaults: [String: any Encodable & Sendable] { ["wheels": 4] }  // a field was added
  static let archiveVersion = 3  // and for all else, the stored tree
  static func migrate(_ object: inout ArchiveObject, from version: Int) throws {
    if version < 2 { object["habits"] = [] }
    if version < 3 { object.move("city", to: "address", "city") }
  }
}

extension People: Equatable {}

@Suite struct ReadmeEvolutionExamples {
  @Test func whatTheFirstVersionStoredIsRead() async throws {
    let store = GlobalData.inMemory()
    try await store.set(["licence": "B 1", "city": "Kiel"] as ArchiveValue, forKey: "k")
    #expect(
      try store.object(People.self, forKey: "k")
        == People(plate: "B 1", wheels: 4, habits: [], address: ["city": "Kiel"]))
  }
}
