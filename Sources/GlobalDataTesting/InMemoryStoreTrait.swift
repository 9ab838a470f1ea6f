// Traits that run code around tests came with Swift 6.1; everything else here is older.
#if compiler(>=6.1)

public import GlobalData
public import Testing

/// Gives each test a store of its own, in memory, which all static calls inside it see.
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
/// Tests that run in parallel do not meet. Detached tasks, dispatch queues and threads that a test starts do not
/// inherit the store; they see `GlobalData.shared`.
public struct InMemoryStoreTrait: TestTrait, SuiteTrait, TestScoping {
  private let configuration: GlobalData.Configuration

  init(_ configuration: GlobalData.Configuration) {
    self.configuration = configuration
  }

  /// The tests of a suite get the trait one by one.
  public var isRecursive: Bool { true }

  /// Runs a test with a store of its own.
  ///
  /// - Parameters:
  ///   - test: The test.
  ///   - testCase: The test's case; each one gets a store.
  ///   - function: The test's own code.
  /// - Throws: What the test throws.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await GlobalData.withStore(.inMemory(configuration: configuration)) { try await function() }
  }
}

extension Trait where Self == InMemoryStoreTrait {
  /// A store in memory for each test.
  public static var inMemoryStore: Self { InMemoryStoreTrait(GlobalData.Configuration()) }

  /// A store in memory for each test, that behaves in a certain way.
  ///
  /// - Parameter configuration: How the stores behave, for example which types they know.
  /// - Returns: The trait.
  public static func inMemoryStore(configuration: GlobalData.Configuration) -> Self {
    InMemoryStoreTrait(configuration)
  }
}

#endif
