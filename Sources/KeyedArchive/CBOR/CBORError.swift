/// The reason and the position at which a byte sequence is unreadable as CBOR.
package struct CBORError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Reason: Equatable, Sendable {
    case truncated
    case decodingIsOver
    case reservedHead
    case unexpectedBreak
    case invalidSimpleValue
    case invalidChunk
    case invalidUTF8
    case trailingBytes
    case lengthBeyondEnd
    case invalidStringReference
    case invalidTypedArray
    case tooDeep(limit: Int)
    case tooManyItems(limit: Int)
  }

  package internal(set) var reason: Reason
  /// The offset of the offending byte from the start of the data item.
  package internal(set) var offset: Int

  package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { "\(reason.words), at byte \(offset)" }
}

extension CBORError.Reason {
  package var words: String {
    switch self {
    case .truncated: "the data ends in the middle of an item"
    case .decodingIsOver: "a reader whose bytes were released"
    case .reservedHead: "a reserved form of item head"
    case .unexpectedBreak: "a break outside an item of indefinite length"
    case .invalidSimpleValue: "a simple value in a form that is not allowed"
    case .invalidChunk: "a chunk of another kind inside a string of indefinite length"
    case .invalidUTF8: "text that is not valid UTF-8"
    case .trailingBytes: "data after the end of the item"
    case .lengthBeyondEnd: "a length or count greater than the remaining bytes"
    case .invalidStringReference: "a reference to a string that does not exist"
    case .invalidTypedArray: "a typed array whose length does not fit its elements"
    case .tooDeep(let limit): "more than \(limit) \(limit == 1 ? "level" : "levels") of nesting"
    case .tooManyItems(let limit): "more than \(limit) \(limit == 1 ? "item" : "items")"
    }
  }
}
