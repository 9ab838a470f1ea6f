public import Testing

// From Swift 6.1 on, the macros of Swift Testing return the error that they expected. The tests also run with 6.0.

/// Returns the error that a function throws.
///
/// - Parameters:
///   - type: The expected type of the error. Another error, or none, is an issue of the test.
///   - sourceLocation: The location of the issue, which is that of the caller.
///   - body: The function.
/// - Returns: The error; `nil` if there was an issue.
@discardableResult
public func expectError<E: Error, R>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, from body: () throws -> R
) -> E? {
  let outcome = Result { try body() }
  return outcome.error(type, sourceLocation)
}

/// Returns the error that an asynchronous function throws.
///
/// - Parameters:
///   - type: The expected type of the error. Another error, or none, is an issue of the test.
///   - sourceLocation: The location of the issue, which is that of the caller.
///   - isolation: The actor that the function runs on, which is the caller's.
///   - body: The function.
/// - Returns: The error; `nil` if there was an issue.
@discardableResult
public func expectError<E: Error, R: Sendable>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  from body: () async throws -> R
) async -> E? {
  let outcome: Result<R, any Error>
  do {
    outcome = .success(try await body())
  } catch {
    outcome = .failure(error)
  }
  return outcome.error(type, sourceLocation)
}

/// Returns the error that a function throws, which the test needs to continue.
///
/// - Throws: ``ErrorMissing`` if there is no error of the type, which is also an issue of the test.
public func requireError<E: Error, R>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, from body: () throws -> R
) throws -> E {
  guard let error = expectError(type, sourceLocation: sourceLocation, from: body) else { throw ErrorMissing() }
  return error
}

/// Returns the error that an asynchronous function throws, which the test needs to continue.
///
/// - Throws: ``ErrorMissing`` if there is no error of the type, which is also an issue of the test.
public func requireError<E: Error, R: Sendable>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  from body: () async throws -> R
) async throws -> E {
  guard let error = await expectError(type, sourceLocation: sourceLocation, from: body) else { throw ErrorMissing() }
  return error
}

/// The error if a function did not throw the expected type.
public struct ErrorMissing: Error {}

extension Result {
  fileprivate func error<E: Error>(_ type: E.Type, _ sourceLocation: SourceLocation) -> E? {
    switch self {
    case .failure(let error as E):
      return error
    case .failure(let error):
      Issue.record("expected an error of type \(type), and \(error) was thrown", sourceLocation: sourceLocation)
    case .success(let value):
      Issue.record("expected an error of type \(type), and \(value) was returned", sourceLocation: sourceLocation)
    }
    return nil
  }
}
