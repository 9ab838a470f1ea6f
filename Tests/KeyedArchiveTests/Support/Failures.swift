import Dispatch
import Foundation
import KeyedArchive
import Synchronization
import TestSupport
import Testing
import ThrownErrors

/// Expects a ``KeyedArchiveError`` with a code, and returns it.
@discardableResult
func expectFailure(
  _ code: KeyedArchiveError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) -> KeyedArchiveError? {
  let error = expectError(KeyedArchiveError.self, sourceLocation: sourceLocation) { _ = try body() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
  return error
}

/// The contents of a `DecodingError`, in a form that can be compared.
struct Complaint: Equatable {
  enum Kind {
    case typeMismatch, valueNotFound, keyNotFound, dataCorrupted
  }

  var kind: Kind
  /// The path of keys, joined by dots.
  var path: String
  var message: String
}

/// Expects a `DecodingError` and returns its contents.
func complaint(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) throws -> Complaint {
  let error = expectError(DecodingError.self, sourceLocation: sourceLocation) { _ = try body() }
  let (kind, context): (Complaint.Kind, DecodingError.Context) =
    switch try #require(error, sourceLocation: sourceLocation) {
    case .typeMismatch(_, let context): (.typeMismatch, context)
    case .valueNotFound(_, let context): (.valueNotFound, context)
    case .keyNotFound(_, let context): (.keyNotFound, context)
    case .dataCorrupted(let context): (.dataCorrupted, context)
    @unknown default: (.dataCorrupted, DecodingError.Context(codingPath: [], debugDescription: "unknown"))
    }
  let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  return Complaint(kind: kind, path: path, message: context.debugDescription)
}

/// Runs a function on a thread with a stack of a given size, and waits for it.
func onThread(stackSize: Int, _ body: @escaping @Sendable () throws -> Void) throws {
  let outcome = Mutex<Result<Void, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  let thread = Thread {
    let result = Result { try body() }
    outcome.withLock { $0 = result }
    isDone.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  isDone.wait()
  try outcome.withLock { $0 }?.get()
}
