import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing

/// Random values, as Python's bpylist2 archives them and as JSON describes them.
@Suite struct RandomArchiveTests {
  @Test func valuesKeepTheirTypesAndContents() async throws {
    let archives = try ArchiveFixtures.randomArchives()
    #expect(archives.count >= 2)
    for url in archives {
      let json = try Data(contentsOf: url.deletingPathExtension().appendingPathExtension("json"))
      let expected = try JSONDecoder().decode([String: Meaning].self, from: json)
      let store = ArchiveFixtures.store()
      let report = try await store.importKeyedArchive(at: url)
      let present = expected.filter { $0.value.value != .null }
      #expect(Set(report.importedKeys) == Set(present.keys), "\(url.lastPathComponent)")
      for (key, meaning) in present {
        let value = try store.object(ArchiveValue.self, forKey: key)
        #expect(value == meaning.value, "\(url.lastPathComponent) \(key)")
      }
    }
  }

  /// A value as the writer describes it, with its fields in stored order.
  private struct Meaning: Decodable {
    let value: ArchiveValue

    private enum CodingKeys: CodingKey {
      case int, real, text, bool, data, date, null, array, dictionary
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let kind = try #require(container.allKeys.first)
      func text() throws -> String { try container.decode(String.self, forKey: kind) }
      switch kind {
      case .int:
        value =
          try Int(text()).map { .int($0) } ?? .named("UInt64", version: 1, .uint(try #require(UInt64(try text()))))
      case .real: value = .double(try #require(Double(try text())))
      case .text: value = .string(try text())
      case .bool: value = .bool(try container.decode(Bool.self, forKey: kind))
      case .data: value = .data(Data(hex: try text()))
      case .date: value = .date(Date(timeIntervalSinceReferenceDate: try #require(Double(try text()))))
      case .null: value = .null
      case .array: value = .array(try container.decode([Meaning].self, forKey: kind).map(\.value))
      case .dictionary:
        var object = ArchiveObject()
        let fields = try container.decode([String: Meaning].self, forKey: kind)
        for key in fields.keys.sorted() { object[key] = fields[key]?.value }
        value = .object(object)
      }
    }
  }
}
