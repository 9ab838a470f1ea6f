import Foundation
import KeyedArchive
import TestSupport

/// Calls a function with a decoder of bytes, which can read them in any way.
func decode<Result>(_ hex: String, _ script: @escaping (any Decoder) throws -> Result) throws -> Result {
  let box = try KeyedArchiveDecoder(userInfo: [.script: SendableScript(script)]).decode(
    ScriptedReader<Result>.self, from: Data(hex: hex))
  return box.result
}

/// Calls a function with a decoder of an encoded value.
func decode<Result>(encoded value: some Encodable, _ script: @escaping (any Decoder) throws -> Result) throws -> Result
{
  // The reader would refuse the name of the value's type, because it is not the reader's. A dictionary omits it.
  let data = try KeyedArchiveEncoder().encode(["it": value])
  let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
  return try decode(KeyedArchiveEncoder().encode(tree["it"]).hex, script)
}

/// The decoder's user info contains the function. Only the thread of one test uses it.
private struct SendableScript<Result>: @unchecked Sendable {
  let body: (any Decoder) throws -> Result

  init(_ body: @escaping (any Decoder) throws -> Result) { self.body = body }
}

private struct ScriptedReader<Result>: Decodable {
  let result: Result

  init(from decoder: any Decoder) throws {
    guard let script = decoder.userInfo[.script] as? SendableScript<Result> else {
      throw DecodingError.valueNotFound(Self.self, .init(codingPath: [], debugDescription: "no script"))
    }
    result = try script.body(decoder)
  }
}

extension CodingUserInfoKey {
  fileprivate static var script: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "script") else { preconditionFailure("never fails") }
    return key
  }
}
