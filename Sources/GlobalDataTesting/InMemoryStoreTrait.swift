// Traits that run code around tests came with Swift 6.1; everything else here is older.
#if compiler(>=6.1)

public import GlobalData
public import Testing

/// Gives each test its own store in memory, which all static calls in the test use.
///
/// ```swift
/// @Suite(.inMemoryStore) struct LoginTests {
///   @Test func loggingInStoresTheUser() async throws {
///     try await logIn()  // calls GlobalData.set(…)
///     #expect(GlobalData.contains("user"))
///   }
/// }
/// ```
///
/// Parallel tests do not affect each other. Detached tasks, dispatch queues and threads that a test starts do not
/// inherit the store; they use `GlobalData.shared`.
public struct InMemoryStoreTrait: TestTrait, SuiteTrait, TestScoping {
  let configuration: GlobalData.Configuration

  /// The tests of a suite get the trait one by one.
  public var isRecursive: Bool { true }

  /// Runs a test with its own store.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The test's case; each one gets a store.
  ///   - function: The test's own code.
  /// - Throws: The errors of the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await GlobalData.withStore(.inMemory(configuration: configuration)) { try await function() }
  }
}

extension Trait where Self == InMemoryStoreTrait {
  /// A store in memory for each test.
  public static var inMemoryStore: Self { inMemoryStore(configuration: GlobalData.Configuration()) }

  /// A store in memory for each test, with a configuration.
  ///
  /// - Parameter configuration: The configuration of the stores, for example their types.
  /// - Returns: The trait.
  public static func inMemoryStore(configuration: GlobalData.Configuration) -> Self {
    InMemoryStoreTrait(configuration: configuration)
  }
}

#endif
