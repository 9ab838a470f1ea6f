import Foundation
import KeyedArchive
import TestSupport
import Testing

@testable import GlobalData

/// A value that counts how often it is decoded.
private struct Counted: Codable, Equatable, Sendable, NotReadBack {
  static let decoded = Locked<[String: Int]>([:])
  var name: String
  var number: Int

  init(_ name: String, _ number: Int) {
    self.name = name
    self.number = number
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .name)
    self.name = name
    number = try container.decode(Int.self, forKey: .number)
    Counted.decoded.withLock { $0[name, default: 0] += 1 }
  }

  static func decodings(_ name: String) -> Int { decoded.withLock { $0[name] ?? 0 } }
}

private final class Account: Codable, Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

private struct Login: Codable, Sendable {
  var account: Account
}

@Suite struct ReadingTests {
  private let store = GlobalData.inMemory()

  @Test func aValueIsDecodedOnceUntilItChanges() async throws {
    try await store.set(Counted("once", 1), forKey: "a")
    for _ in 0..<5 { #expect(try store.object(Counted.self, forKey: "a")?.number == 1) }
    #expect(Counted.decodings("once") == 1)
    try await store.set(1, forKey: "other")
    #expect(try store.object(Counted.self, forKey: "a")?.number == 1)
    #expect(Counted.decodings("once") == 1)
    try await store.set(Counted("once", 2), forKey: "a")
    for _ in 0..<5 { #expect(try store.object(Counted.self, forKey: "a")?.number == 2) }
    #expect(Counted.decodings("once") == 2)
    try await store.removeObject(forKey: "a")
    #expect(try store.object(Counted.self, forKey: "a") == nil)
    try await store.set(Counted("once", 3), forKey: "a")
    #expect(try store.object(Counted.self, forKey: "a")?.number == 3)
    try await store.clear()
    #expect(try store.object(Counted.self, forKey: "a") == nil)
  }

  @Test func aValueMayBeReadAsSeveralTypesInTurn() async throws {
    try await store.set(7, forKey: "n")
    for _ in 0..<3 {
      #expect(try store.object(Int.self, forKey: "n") == 7)
      #expect(try store.object(Double.self, forKey: "n") == 7)
      #expect(try store.object(Int?.self, forKey: "n") == 7)
      #expect(try store.object(forKey: "n") as? Int == 7)
      #expect(throws: GlobalDataError.self) { try store.object(String.self, forKey: "n") }
    }
  }

  @Test func anUpdateReadsCachedValuesAndItsOwnWrites() async throws {
    try await store.set(Counted("update", 1), forKey: "a")
    #expect(try store.object(Counted.self, forKey: "a")?.number == 1)
    try await store.update { data in
      #expect(try data.object(Counted.self, forKey: "a")?.number == 1)
      #expect(Counted.decodings("update") == 1)
      try data.set(Counted("update", 2), forKey: "a")
      #expect(try data.object(Counted.self, forKey: "a")?.number == 2)
      data.removeObject(forKey: "a")
      #expect(try data.object(Counted.self, forKey: "a") == nil)
      data.clear()
      #expect(try data.object(Counted.self, forKey: "a") == nil)
      try data.set(Counted("update", 3), forKey: "a")
    }
    #expect(try store.object(Counted.self, forKey: "a")?.number == 3)
  }

  @Test func theWritesOfAFailedUpdateAreNotRead() async throws {
    struct Failure: Error {}
    try await store.set(Counted("failed", 1), forKey: "a")
    await #expect(throws: Failure.self) {
      try await store.update { (data) throws in
        try data.set(Counted("failed", 2), forKey: "a")
        #expect(try data.object(Counted.self, forKey: "a")?.number == 2)
        throw Failure()
      }
    }
    #expect(try store.object(Counted.self, forKey: "a")?.number == 1)
  }

  @Test func onlyTheWritesOfAnotherProcessAreDecodedAgain() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      let store = GlobalData(at: url)
      // Shares nothing with the first store, as in another process.
      let other = GlobalData(at: url, system: POSIXSystemCalls())
      try await store.set(Counted("changed", 1), forKey: "a")
      try await store.set(Counted("unchanged", 1), forKey: "b")
      #expect(try store.object(Counted.self, forKey: "a")?.number == 1)
      #expect(try store.object(Counted.self, forKey: "b")?.number == 1)
      try await other.set(Counted("changed", 2), forKey: "a")
      try await store.refresh()
      #expect(try store.object(Counted.self, forKey: "a")?.number == 2)
      #expect(try store.object(Counted.self, forKey: "b")?.number == 1)
      #expect(Counted.decodings("unchanged") == 1)
      try await store.close()
      #expect(try store.object(Counted.self, forKey: "b")?.number == 1)
      #expect(Counted.decodings("unchanged") == 2)
    }
  }

  @Test func eachReaderGetsItsOwnInstances() async throws {
    try await store.set(Account("Ada"), forKey: "account")
    try await store.set(Login(account: Account("Ada")), forKey: "login")
    let first = try #require(try store.object(Account.self, forKey: "account"))
    let second = try #require(try store.object(Account.self, forKey: "account"))
    #expect(first !== second)
    let firstLogin = try #require(try store.object(Login.self, forKey: "login"))
    let secondLogin = try #require(try store.object(Login.self, forKey: "login"))
    #expect(firstLogin.account !== secondLogin.account)
  }

  @Test func aTypeThatIsRegisteredLaterIsFound() async throws {
    struct Mixed: Codable, Sendable {
      @Polymorphic var values: [any Sendable]
    }
    struct Late: Codable, Equatable, Sendable {
      var number = 1
    }
    let store = GlobalData.inMemory(configuration: .with { $0.registry = TypeRegistry() })
    try await store.set(Mixed(values: [Late()]), forKey: "mixed")
    #expect(throws: GlobalDataError.self) { try store.object(Mixed.self, forKey: "mixed") }
    store.register(Late.self)
    #expect(try store.object(Mixed.self, forKey: "mixed")?.values.first as? Late == Late())
  }

  @Test func concurrentReadersSeeEachValueAsItWasWritten() async throws {
    try await store.set([0, 0], forKey: "pair")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for number in 1...300 { try await store.set([number, number], forKey: "pair") } }
      for _ in 0..<4 {
        group.addTask {
          var last = 0
          while last < 300 {
            let pair = try #require(try store.object([Int].self, forKey: "pair"))
            #expect(pair[0] == pair[1] && pair[0] >= last)
            last = pair[0]
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
