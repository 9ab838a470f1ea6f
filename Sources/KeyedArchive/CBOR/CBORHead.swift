/// The first bytes of a CBOR data item: its major type and its argument.
/// Source: RFC 8949, section 3.
package struct CBORHead: Sendable {
  /// The eight major types, numbered as in RFC 8949, section 3.1.
  package enum Major: UInt8, Sendable {
    case unsigned, negative, bytes, text, array, map, tag, simple

    /// Creates the major type in a head's first byte. All eight numbers are in use, so a bit shift is enough.
    @inline(__always)
    init(ofFirstByte byte: UInt8) {
      switch byte &>> 5 {
      case 0: self = .unsigned
      case 1: self = .negative
      case 2: self = .bytes
      case 3: self = .text
      case 4: self = .array
      case 5: self = .map
      case 6: self = .tag
      default: self = .simple
      }
    }
  }

  package internal(set) var major: Major
  /// The low five bits of the first byte: the argument itself if it is below 24, the argument's width (24 to 27), or
  /// 31.
  package internal(set) var info: UInt8
  /// The value in the head: an integer, a length, a count, a tag number or the bits of a float.
  package internal(set) var argument: UInt64
  /// The offset of the first byte after the head.
  package internal(set) var end: Int

  package var isIndefinite: Bool { info == CBORHead.indefiniteInfo }

  package var isBreak: Bool { major == .simple && info == CBORHead.indefiniteInfo }

  func isTag(_ tag: UInt64) -> Bool { major == .tag && argument == tag }

  static var indefiniteInfo: UInt8 { 31 }

  /// Returns the number of bytes in the shortest head for an argument.
  package static func length(of argument: UInt64) -> Int {
    if argument < 24 { return 1 }
    if argument <= 0xff { return 2 }
    if argument <= 0xffff { return 3 }
    return argument <= 0xffff_ffff ? 5 : 9
  }
}

/// The tag numbers of the IANA registry that archives use.
package enum CBORTag {
  static let dateText: UInt64 = 0
  static let date: UInt64 = 1
  static let positiveBigInteger: UInt64 = 2
  static let negativeBigInteger: UInt64 = 3
  static let decimalFraction: UInt64 = 4
  static let stringReference: UInt64 = 25
  static let object: UInt64 = 27
  static let shareable: UInt64 = 28
  static let sharedReference: UInt64 = 29
  static let url: UInt64 = 32
  static let uuid: UInt64 = 37
  static let typedArrays: ClosedRange<UInt64> = 64...87
  static let stringNamespace: UInt64 = 256
  static let set: UInt64 = 258
  static let selfDescribed: UInt64 = 55799
  /// The tag of references in ``Splices``, in memory only. It is registered for countersignatures (RFC 9338), which no
  /// archive contains.
  static let elsewhere: UInt64 = 19

  /// Returns whether a tag leaves the meaning of its content unchanged.
  static func isTransparent(_ tag: UInt64) -> Bool {
    tag == selfDescribed || tag == shareable || tag == stringNamespace
  }

  /// Returns whether the meaning of a tag depends on everything before it.
  static func isNumbering(_ tag: UInt64) -> Bool {
    tag == stringReference || tag == stringNamespace || tag == shareable || tag == sharedReference
  }
}

/// The simple values of RFC 8949, section 3.3.
package enum CBORSimple {
  static let falseValue: UInt64 = 20
  static let trueValue: UInt64 = 21
  static let null: UInt64 = 22
  static let undefined: UInt64 = 23
}
