import Testing

@testable import GlobalData

/// Expects a function to throw an error of a code, or, for `nil`, nothing; returns the error.
@discardableResult
func expectError(
  _ code: GlobalDataError.Code?,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) -> GlobalDataError? {
  do {
    try body()
    if let code { Issue.record("no error, where \(code) was expected", sourceLocation: sourceLocation) }
    return nil
  } catch let error as GlobalDataError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    return error
  } catch {
    Issue.record("an error of another type: \(error)", sourceLocation: sourceLocation)
    return nil
  }
}
