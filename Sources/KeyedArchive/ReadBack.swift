import FoundationCore

/// A type in a test whose values must not or cannot be read back. A test may also count how often its values are read.
package protocol NotReadBack {}

#if DEBUG
/// Checks that encoded values can be decoded as their types, in debug builds for this package's own tests.
enum ReadBack {
  /// Whether the process is a test of this package, which links `TestProcess`.
  private static let isOn = ProcessInfo.processInfo.environment["KEYEDARCHIVE_READS_BACK"] == "1"

  /// - Throws: An error with the reason why an encoded value cannot be read.
  static func check<Value>(_ item: KeyedArchiveEncoder.Item, of _: Value.Type, _ encoder: KeyedArchiveEncoder) throws {
    guard isOn, !(Value.self is any NotReadBack.Type), let type = Value.self as? any Decodable.Type else { return }
    let decoder = KeyedArchiveDecoder(registry: encoder.registry, limits: encoder.limits, userInfo: encoder.userInfo)
    do {
      _ = try decoder.decode(type, from: item.withUnsafeBytes { Data($0) })
    } catch let error as KeyedArchiveError where error.code == .unregisteredTag {
      // A program may register the type before it reads.
    } catch {
      throw KeyedArchiveError(
        .invalidEncoding, "A value of type \(Value.self) was encoded, but cannot be read: \(error)",
        underlyingError: error)
    }
  }
}
#endif
