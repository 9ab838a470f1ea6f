/// The traits of the types that a session has used. A lookup costs a multiplication and usually one comparison. The
/// hash of a `Dictionary` resists chosen keys, and it takes longer than a coder needs for a short record. That
/// protection is unnecessary here, because no input chooses the addresses of types.
struct TypeTable: ~Copyable {
  private struct Row {
    var type: ObjectIdentifier
    var traits: TypeTraits
  }

  /// The rows of the table. Their number is a power of two, at least twice the number of types.
  private var rows = ContiguousArray<Row?>()
  private var count = 0

  @inline(__always)
  func find(_ type: Any.Type) -> TypeTraits? {
    let type = ObjectIdentifier(type)
    var index = firstIndex(of: type)
    while index < rows.count, let row = rows[index] {
      if row.type == type { return row.traits }
      index = (index + 1) & (rows.count - 1)
    }
    return nil
  }

  /// Adds the traits of a type that is not in the table.
  mutating func insert(_ traits: TypeTraits, for type: Any.Type) {
    if count * 2 >= rows.count { grow() }
    put(Row(type: ObjectIdentifier(type), traits: traits))
    count += 1
  }

  private mutating func grow() {
    let old = rows
    rows = ContiguousArray(repeating: nil, count: max(8, old.count * 2))
    for case let row? in old { put(row) }
  }

  private mutating func put(_ row: Row) {
    var index = firstIndex(of: row.type)
    while rows[index] != nil { index = (index + 1) & (rows.count - 1) }
    rows[index] = row
  }

  /// Returns the index of the row at which the search for a type starts. The addresses of types are multiples of at
  /// least eight, so their low bits contain no information.
  @inline(__always)
  private func firstIndex(of type: ObjectIdentifier) -> Int {
    let product = UInt(bitPattern: type) &* UInt(truncatingIfNeeded: 0x9e37_79b9_7f4a_7c15 as UInt64)
    return Int(truncatingIfNeeded: product &>> UInt(UInt.bitWidth / 2)) & (rows.count - 1)
  }
}
