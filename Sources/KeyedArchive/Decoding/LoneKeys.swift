/// The coding keys of maps with one field, the stored form of enums with payloads. A synthesized `init(from:)` requests
/// all keys to determine the case. Creating this array is slow, and few names occur, so the first ones are remembered.
struct LoneKeys: ~Copyable {
  private final class Keys<Key: CodingKey> {
    let keys: [Key]

    init(_ keys: [Key]) { self.keys = keys }
  }

  private var known = ContiguousArray<(type: ObjectIdentifier, name: String, keys: AnyObject)>()
  private static var limit: Int { 32 }

  mutating func removeAll() {
    if !known.isEmpty { known.removeAll() }
  }

  func find<Key: CodingKey>(_ name: String, as _: Key.Type) -> [Key]? {
    let type = ObjectIdentifier(Key.self)
    for index in 0..<known.count where known[index].type == type && known[index].name.hasSameBytes(as: name) {
      // Keys that are stored under a type were created for it.
      return unsafeDowncast(known[index].keys, to: Keys<Key>.self).keys
    }
    return nil
  }

  mutating func remember<Key: CodingKey>(_ keys: [Key], named name: String) {
    guard known.count < LoneKeys.limit else { return }
    known.append((ObjectIdentifier(Key.self), name, Keys(keys)))
  }
}

extension DecodingSession {
  /// Returns the coding keys of a type for a name: one key, or none if the type has no such key or there is no name.
  func keys<Key: CodingKey>(named name: String?, as type: Key.Type) -> [Key] {
    if let name, let keys = loneKeys.find(name, as: type) { return keys }
    return newKeys(named: name, as: type)
  }

  @inline(never)
  private func newKeys<Key: CodingKey>(named name: String?, as type: Key.Type) -> [Key] {
    guard let name else { return [] }
    var keys: [Key] = []
    if let key = Key(stringValue: name) { keys.append(key) }
    loneKeys.remember(keys, named: name)
    return keys
  }
}
