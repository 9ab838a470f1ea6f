public import Testing

// The macros of Swift Testing hand out the error that they expected from Swift 6.1 on; the tests run with 6.0, too.

/// The error that a function throws, for a closer look.
///
/// - Parameters:
///   - type: The type that the error has to be of. Another one, or none, is an issue of the test.
///   - sourceLocation: Where the issue is told of, which is the caller.
///   - body: The function.
/// - Returns: The error; `nil` where there was an issue.
@discardableResult
public func expectError<E: Error, R>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, from body: () throws -> R
) -> E? {
  let outcome = Result { try body() }
  return outcome.error(type, sourceLocation)
}

/// The error that an asynchronous function throws, for a closer look.
///
/// - Parameters:
///   - type: The type that the error has to be of. Another one, or none, is an issue of the test.
///   - sourceLocation: Where the issue is told of, which is the caller.
///   - isolation: The actor that the function runs on, which is the caller's.
///   - body: The function.
/// - Returns: The error; `nil` where there was an issue.
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

/// The error that a function throws, without which the test cannot go on.
///
/// - Throws: ``ErrorMissing`` where there is none of the type, which is an issue of the test, too.
public func requireError<E: Error, R>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, from body: () throws -> R
) throws -> E {
  guard let error = expectError(type, sourceLocation: sourceLocation, from: body) else { throw ErrorMissing() }
  return error
}

/// The error that an asynchronous function throws, without which the test cannot go on.
///
/// - Throws: ``ErrorMissing`` where there is none of the type, which is an issue of the test, too.
public func requireError<E: Error, R: Sendable>(
  _ type: E.Type, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  from body: () async throws -> R
) async throws -> E {
  guard let error = await expectError(type, sourceLocation: sourceLocation, from: body) else { throw ErrorMissing() }
  return error
}

/// There was no error of the expected type.
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
