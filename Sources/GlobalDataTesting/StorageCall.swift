/// A call that a store made to the operating system.
public struct StorageCall: Hashable, Sendable {
  /// The kind of call.
  public let operation: StorageOperation
  /// The name or path of the file; for an open file, the one it was opened with.
  ///
  /// The names of temporary files vary.
  public let name: String
  /// Whether the call was for an open folder.
  public let isFolder: Bool
  /// The number of bytes to read or write.
  public let byteCount: Int
  /// Whether the call failed, did only part of its work, or was paused by a fault.
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
  /// The operation, the name, and the number of bytes, for example `write .as-0000000100000002.tmp 310`.
  public var description: String {
    "\(operation) \(name)" + (byteCount > 0 ? " \(byteCount)" : "") + (isFaulty ? " (fault)" : "")
  }
}
