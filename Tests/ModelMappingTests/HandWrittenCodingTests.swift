import Foundation
import ModelMapping
import TestSupport
import Testing

/// Fields whose types have hand-written coding read and write the same JSON as Foundation's coders.
@Suite struct HandWrittenCodingTests {
  struct Holder: Model {
    @Field var value = HandWrittenCoding()
    @Field var list: [HandWrittenCoding] = []
  }

  struct Plain: Codable {
    var value = HandWrittenCoding()
    var list: [HandWrittenCoding] = []
  }

  @Test func everyCallOfAContainerReadsJSON() throws {
    var plain = Plain()
    plain.value.numbers = [4, 5]
    plain.list = [HandWrittenCoding(), plain.value]
    let (holder, report) = try Holder.decode(json: JSONEncoder().encode(plain))
    #expect(holder.value == plain.value)
    #expect(holder.list == plain.list)
    #expect(report.isEmpty, "\(report)")
  }

  @Test func everyCallOfAContainerWritesJSON() throws {
    var holder = Holder()
    holder.value.numbers = [4, 5]
    holder.list = [HandWrittenCoding(), holder.value]
    let plain = try JSONDecoder().decode(Plain.self, from: holder.json())
    #expect(plain.value == holder.value)
    #expect(plain.list == holder.list)
  }
}
