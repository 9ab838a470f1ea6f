import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Values that can only be coded with a configuration, as properties of a model that provides one.
@Suite struct ConfigurationTests {
  private struct Secret: CodableWithConfiguration, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder, configuration: Int) throws {
      let shifted = try decoder.singleValueContainer().decode([UInt8].self)
      text = String(decoding: shifted.map { $0 &- UInt8(configuration) }, as: UTF8.self)
    }

    func encode(to encoder: any Encoder, configuration: Int) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text.utf8.map { $0 &+ UInt8(configuration) })
    }
  }

  private enum Shift: EncodingConfigurationProviding, DecodingConfigurationProviding {
    static let encodingConfiguration = 3
    static let decodingConfiguration = 3
  }

  private struct Model: Codable, Equatable {
    @CodableConfiguration(from: Shift.self) var secret = Secret("")
    @CodableConfiguration(from: Shift.self) var list = [Secret]()
    @CodableConfiguration(from: Shift.self) var nothing = Secret?.none

    static func == (left: Model, right: Model) -> Bool {
      left.secret == right.secret && left.list == right.list && left.nothing == right.nothing
    }
  }

  @Test func configuredPropertiesAreRestored() throws {
    var model = Model()
    model.secret = Secret("abc")
    model.list = [Secret(""), Secret("xyz")]
    try expectRoundTrip(model)
    model.nothing = Secret("some")
    try expectRoundTrip(model)
    let tree = try decode(ArchiveValue.self, encodedHex(model))
    #expect(tree["secret"] == .numbers(tag: 64, bytes: Data("def".utf8)))
  }

  @Test func containersTakeAConfiguration() throws {
    let data = try KeyedArchiveEncoder().encode(
      Scripted { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(Secret("a"), forKey: "one", configuration: 1)
        var list = container.nestedUnkeyedContainer(forKey: "list")
        try list.encode(Secret("b"), configuration: 2)
      })
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
    #expect(tree["one"] == .numbers(tag: 64, bytes: Data("b".utf8)))
    #expect(tree["list"]?[0] == .numbers(tag: 64, bytes: Data("d".utf8)))
  }
}
