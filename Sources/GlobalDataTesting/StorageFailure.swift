import Foundation

/// Why a call to the operating system fails: an error number of the system.
public struct StorageFailure: Hashable, Sendable {
  /// The system's number, which an error of the store then has as its `errorNumber`.
  public let errorNumber: Int32

  /// A reason by its number, for example `EBUSY`.
  public init(errorNumber: Int32) {
    self.errorNumber = errorNumber
  }

  /// No space is left on the disk (`ENOSPC`).
  public static let noSpace = StorageFailure(errorNumber: ENOSPC)
  /// The disk or the connection to it fails (`EIO`).
  public static let inputOutput = StorageFailure(errorNumber: EIO)
  /// The disk is mounted for reading only (`EROFS`).
  public static let readOnly = StorageFailure(errorNumber: EROFS)
  /// A signal interrupted the call (`EINTR`); a store makes most calls again then.
  public static let interrupted = StorageFailure(errorNumber: EINTR)
}

extension StorageFailure: CustomStringConvertible {
  /// The system's words for the reason.
  public var description: String { String(cString: strerror(errorNumber)) }
}
