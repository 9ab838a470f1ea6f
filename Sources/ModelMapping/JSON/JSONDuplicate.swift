/// The second of two equal keys of an object.
package struct JSONDuplicate {
  package let name: String
  package let path: ValuePath
  package let offset: Int

  func error(in bytes: [UInt8]) -> ModelError {
    // An ASCII key has only one spelling.
    let spelling = name.utf8.allSatisfy { $0 < 0x80 } ? "" : ", possibly in another Unicode form"
    return ModelError(
      .duplicateKey, "The key \(String(reflecting: name)) appears twice\(spelling).", path: path,
      location: TextLocation(offset: offset, in: bytes))
  }
}
