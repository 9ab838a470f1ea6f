import Foundation

/// Why a call to the operating system fails: an error number of the system.
public struct StorageFailure: Hashable, Sendable {
  /// The error number, which the store's error has as its `errorNumber`.
  public let errorNumber: Int32

  /// Creates a failure with an error number, for example `EBUSY`.
  public init(errorNumber: Int32) {
    self.errorNumber = errorNumber
  }

  /// No space is left on the disk (`ENOSPC`).
  public static let noSpace = StorageFailure(errorNumber: ENOSPC)
  /// The disk or the connection to it fails (`EIO`).
  public static let inputOutput = StorageFailure(errorNumber: EIO)
  /// The disk is mounted for reading only (`EROFS`).
  public static let readOnly = StorageFailure(errorNumber: EROFS)
  /// A signal interrupted the call (`EINTR`); a store repeats most calls.
  public static let interrupted = StorageFailure(errorNumber: EINTR)
}

extension StorageFailure: CustomStringConvertible {
  /// The system's description of the error.
  public var description: String { String(cString: strerror(errorNumber)) }
}
