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
