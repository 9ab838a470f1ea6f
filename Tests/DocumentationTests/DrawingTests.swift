import Foundation
import Testing

/// The drawings of the documentation and the README.
@Suite struct DrawingTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func drawings() throws -> [String] {
    try ["Sources", ".github"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        .filter { $0.hasSuffix(".svg") }.map { "\(folder)/\($0)" }
    }.sorted()
  }

  /// DocC shows a drawing without a size of its own 289 pixels wide.
  @Test(arguments: try drawings()) func eachDrawingSaysHowLargeItIs(path: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let start = try #require(text.firstMatch(of: /<svg [^>]*>/)).output
    let box = try #require(start.firstMatch(of: /viewBox="0 0 ([0-9]+) ([0-9]+)"/)).output
    #expect(start.contains(" width=\"\(box.1)\"") && start.contains(" height=\"\(box.2)\""))
  }
}
