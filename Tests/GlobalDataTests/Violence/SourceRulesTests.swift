import Foundation
import Testing

/// Rules that no test of behaviour can prove, because what they forbid would work.
struct SourceRulesTests {
  /// The texts of the library's sources, by path; empty where they are not beside the tests.
  private static func sources() throws -> [String: String] {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources")
    var texts: [String: String] = [:]
    for case let url as URL in try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)) {
      guard url.pathExtension == "swift" else { continue }
      texts[url.path] = try String(contentsOf: url, encoding: .utf8)
    }
    return texts
  }

  /// A name in a file must never reach the runtime: a type is made only if the app registered or named it.
  @Test func noTypeIsLookedUpByItsName() throws {
    let sources = try SourceRulesTests.sources()
    #expect(sources.count > 50)
    let lookups = [
      "NSClassFromString", "_typeByName", "_getTypeByMangledName", "_typeByMangledName", "objc_getClass",
      "objc_lookUpClass", "swift_getTypeByMangledName", "dlsym(",
    ]
    for (path, text) in sources {
      for lookup in lookups { #expect(!text.contains(lookup), "\(path): \(lookup)") }
    }
  }
}
