import Foundation
import ModelMapping
import TestSupport
import Testing

private struct Anything: Model {
  @Field var a = 0
  @Field var b = ""
  @Field var c: [Anything] = []
  @Field("d", "e", options: .lossy) var e: [Double] = []
  @Field var f: [String: Bool]?
}

@Suite struct RandomJSONTests {
  private static let seed = """
    {"a": 12, "b": "x\\u00e9\\ud83d\\ude00\\n", "c": [{"a": -1.5e2, "f": {"k": true, "l": null}}, {}], "d": {"e": [0.1, "2"]}}
    """

  /// A text with some bytes replaced, removed, or put in.
  private func mutated(_ generator: inout SeededGenerator) -> Data {
    var bytes = Array(RandomJSONTests.seed.utf8)
    let alphabet = Array("{}[]:,\"\\ub0019eE+-.tfn \n\u{1}é".utf8)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      let byte = alphabet.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[place] = byte
      case 1: bytes.remove(at: place)
      default: bytes.insert(byte, at: place)
      }
    }
    return Data(bytes)
  }

  @Test(arguments: (0..<8).oneIn(2)) func validJSONIsWhatFoundationAccepts(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<1500 {
      let data = mutated(&generator)
      let text = String(decoding: data, as: UTF8.self)
      let foundation = failure { _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }
      guard let error = failure({ _ = try Anything(json: data) }) else {
        #expect(foundation == nil, "\(text)")
        continue
      }
      // Any other error is a bug, and so is a trap, which would end the run.
      let context = try #require((error as? DecodingError)?.context, "\(text): \(error)")
      let cause = try #require(context.underlyingError as? ModelError, "\(text): \(error)")
      let location = try #require(cause.location, "\(text)")
      #expect(location.offset <= data.count, "\(text)")
      // A comma after the last element is not JSON, although Foundation accepts it on some systems.
      if cause.code == .malformedJSON, !text.contains(/,\s*[\]}]/) { #expect(foundation != nil, "\(text): \(cause)") }
    }
  }

  private func failure(_ body: () throws -> Void) -> (any Error)? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
