/// A call that a store made to the operating system.
public struct StorageCall: Hashable, Sendable {
  /// What was done.
  public let operation: StorageOperation
  /// The name or path that it was done to; of an open file, that which it was opened under.
  ///
  /// Temporary files have names that are different each time.
  public let name: String
  /// Whether it was done to an open folder.
  public let isFolder: Bool
  /// The number of bytes that were to be read or written.
  public let byteCount: Int
  /// Whether a fault met the call: it failed, did less than it was asked for, or stood still.
  public let isFaulty: Bool

  init?(_ record: FaultySystemCalls.Record) {
    guard let operation = StorageOperation.all.first(where: { $0.includes(record) }) else { return nil }
    self.operation = operation
    name = record.name
    isFolder = record.isFolder
    byteCount = record.byteCount
    isFaulty = record.isFaulty
  }
}

extension StorageCall: CustomStringConvertible {
  /// The operation, what it was done to, and how many bytes, for example `write .as-0000000100000002.tmp 310`.
  public var description: String {
    "\(operation) \(name)" + (byteCount > 0 ? " \(byteCount)" : "") + (isFaulty ? " (fault)" : "")
  }
}
