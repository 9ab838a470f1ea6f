// Traits that run code around tests need Swift 6.1.
#if compiler(>=6.1)

public import GlobalData
public import Testing

/// A trait that gives each test its own store in memory, which all static calls in the test use.
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

  /// Whether each test of a suite gets the trait: always `true`.
  public var isRecursive: Bool { true }

  /// Runs a test with its own store.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The test case. Each case gets its own store.
  ///   - function: The test's own code.
  /// - Throws: The errors of the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await GlobalData.withStore(.inMemory(configuration: configuration)) { try await function() }
  }
}

extension Trait where Self == InMemoryStoreTrait {
  /// A trait that gives each test its own store in memory.
  public static var inMemoryStore: Self { inMemoryStore(configuration: GlobalData.Configuration()) }

  /// Returns a trait that gives each test its own store in memory, with a configuration.
  ///
  /// - Parameter configuration: The configuration of the stores, for example their types.
  /// - Returns: The trait.
  public static func inMemoryStore(configuration: GlobalData.Configuration) -> Self {
    InMemoryStoreTrait(configuration: configuration)
  }
}

#endif
