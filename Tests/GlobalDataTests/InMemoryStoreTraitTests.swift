// The trait needs Swift 6.1.
#if compiler(>=6.1)

import GlobalData
import GlobalDataTesting
import Testing

/// A hundred concurrent tests that use the static calls and one key: each sees only its own value.
@Suite(.inMemoryStore) struct InMemoryStoreTraitTests {
  @Test(arguments: 0..<100) func eachTestHasItsOwnStore(number: Int) async throws {
    #expect(try GlobalData.object(forKey: "key") == nil)
    #expect(GlobalData.current.url == nil)
    try await GlobalData.set(number, forKey: "key")
    for _ in 0..<10 {
      await Task.yield()
      #expect(try GlobalData.object(Int.self, forKey: "key") == number)
    }
    async let seenInAChildTask = GlobalData.object(Int.self, forKey: "key")
    #expect(try await seenInAChildTask == number)
    try await GlobalData.clear()
  }

  @Test func storesNest() async throws {
    try await GlobalData.set("outer", forKey: "key")
    await GlobalData.withStore(.inMemory()) {
      #expect(!GlobalData.contains("key"))
    }
    #expect(GlobalData.contains("key"))
  }
}

#endif
