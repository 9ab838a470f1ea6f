import Foundation
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// The JSON of a conformance file; see `Tests/Conformance/README.md`.
private struct Answer: Codable, Equatable {
  struct Entry: Codable, Equatable {
    var key: String
    var bytes: String
    var notation: String?
    var error: Bool?

    static func == (left: Entry, right: Entry) -> Bool {
      // Two spellings of a letter are equal in Swift.
      left.key.utf8.elementsEqual(right.key.utf8) && left.bytes == right.bytes && left.error == right.error
        && (left.notation ?? "").utf8.elementsEqual((right.notation ?? "").utf8)
    }
  }

  var verdict: String
  var version: Int?
  var identity: String?
  var generation: String?
  var entries: [Entry]
  var lost: [String]
  var outdated: [String]
}

/// The files that every reader of the format has to read alike.
@Suite struct ConformanceTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Conformance")

  private static let names: [String] = {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".globaldata") }.map { String($0.dropLast(".globaldata".count)) }.sorted()
    } catch {
      return []  // `areThere` fails.
    }
  }()

  @Test func areThere() {
    #expect(ConformanceTests.names.count >= 80)
  }

  @Test(arguments: names) func eachFileIsReadAsExpected(name: String) throws {
    let url = ConformanceTests.folder.appending(path: name)
    let expected = try JSONDecoder().decode(
      Answer.self, from: Data(contentsOf: url.appendingPathExtension("json")))
    let file = try Data(contentsOf: url.appendingPathExtension("globaldata"))
    let parsed = ArchiveImage.parsing(SharedBytes(copying: file))
    #expect(try ConformanceTests.answer(of: parsed) == expected)
  }

  private static func answer(of parsed: ParsedArchive) throws -> Answer {
    let contents = parsed.contents
    var answer = Answer(
      verdict: "foreign", version: contents.map { Int($0.version) }, identity: nil, generation: nil, entries: [],
      lost: contents?.losses.lostKeys ?? [], outdated: contents?.losses.outdatedKeys ?? [])
    switch parsed {
    case .intact: answer.verdict = "intact"
    case .damaged: answer.verdict = "damaged"
    case .newer(let version, _):
      answer.verdict = "newer"
      answer.version = Int(version)
    case .unreadable: answer.verdict = "unreadable"
    case .foreign: break
    }
    guard let image = contents?.image else { return answer }
    let identity = (image.identity.high.bigEndian, image.identity.low.bigEndian)
    answer.identity = withUnsafeBytes(of: identity) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
      .lowercased()
    answer.generation = String(image.generation)
    answer.entries = image.entries.map(entry)
    return answer
  }

  private static func entry(_ stored: StoredEntry) -> Answer.Entry {
    let content = stored.content.withUnsafeBytes { Data($0) }
    let value: ArchiveValue?
    do {
      value = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: content)
    } catch {
      value = nil
    }
    return Answer.Entry(
      key: stored.key, bytes: content.hex, notation: value?.diagnostic, error: value == nil ? true : nil)
  }
}
