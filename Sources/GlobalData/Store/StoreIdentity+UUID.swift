import FoundationCore

extension StoreIdentity {
  init(_ uuid: UUID) {
    let (high, low) = withUnsafeBytes(of: uuid.uuid) { bytes in
      (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }

  static func random() -> StoreIdentity { StoreIdentity(UUID()) }
}
