import KeyedArchive

extension CBORReader {
  /// The type of a value, from its first bytes in O(1): the stored name, or the type that the stored form represents.
  /// The library determines it in the same way, but with its table of types.
  var storedTypeName: String {
    do throws(CBORError) {
      return try typeName()
    } catch {
      return "malformed: \(error.description)"
    }
  }

  private func typeName() throws(CBORError) -> String {
    var head = try head(at: 0)
    // The limit keeps a value that consists only of tags from taking long.
    for _ in 0..<8 {
      guard head.major == .tag else { break }
      switch head.argument {
      case CBORTag.stringNamespace, CBORTag.shareable, CBORTag.selfDescribed: head = try self.head(at: head.end)
      case CBORTag.object: return try name(after: head) ?? "tag 27"
      case CBORTag.date, CBORTag.dateText: return "Date"
      case CBORTag.positiveBigInteger: return "UInt128"
      case CBORTag.negativeBigInteger: return "Int128"
      case CBORTag.decimalFraction: return "Decimal"
      case CBORTag.url: return "URL"
      case CBORTag.uuid: return "UUID"
      case CBORTag.set: return "Set"
      case CBORTag.typedArrays: return NumberFormat(tag: head.argument).map { "[\($0.elementName)]" } ?? "numbers"
      default: return "tag \(head.argument)"
      }
    }
    switch head.major {
    case .unsigned where head.argument > UInt64(Int64.max): return "UInt64"
    case .negative where head.argument > UInt64(Int64.max): return "Int128"
    case .unsigned, .negative: return "Int"
    case .bytes: return "Data"
    case .text: return "String"
    case .array: return "[Any]"
    case .map: return "[String:Any]"
    case .tag: return "tag \(head.argument)"
    case .simple:
      if float(head) != nil { return "Double" }
      return head.argument == CBORSimple.trueValue || head.argument == CBORSimple.falseValue ? "Bool" : "nil"
    }
  }

  private func name(after tag: CBORHead) throws(CBORError) -> String? {
    let array = try head(at: tag.end)
    guard array.major == .array, !array.isIndefinite else { return nil }
    let name = try head(at: array.end)
    guard name.major == .text, !name.isIndefinite else { return nil }
    return try text(name.end..<payloadEnd(of: name))
  }
}
