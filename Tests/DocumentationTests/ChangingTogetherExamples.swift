import GlobalData
import Testing

private final class Account: Codable {
  var name = ""
}

extension GlobalData.Keys {
  fileprivate static let account = Key("account", default: Account())
  fileprivate static let visits = Key("visits", default: 0)
  fileprivate static let stock = Key("stock", default: 0)
}

@Suite struct ChangingTogetherExamples {
  @Test func severalChangesAreOne() async throws {
    let user = "Ada"
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.set("a draft", forKey: "draft")
      let total = try await GlobalData.update { data in
        data[.visits] += 1
        try data.set(user, forKey: "user")
        data.removeObject(forKey: "draft")
        return data[.visits]
      }
      #expect(total == 1)
      #expect(GlobalData.allKeys == ["visits", "user"])

      struct OutOfStock: Error {}

      await #expect(throws: OutOfStock.self) {
        try await GlobalData.update { data in
          data[.stock] -= 1
          guard data[.stock] >= 0 else { throw OutOfStock() }  // nothing is changed
        }
      }
      #expect(!GlobalData.contains(.stock))
    }
  }

  @Test func anInstanceIsChangedInPlace() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.update { data in
        data[.account].name = "Kim"
      }
      #expect(GlobalData[.account].name == "Kim")
    }
  }

  @Test func anIncrementByTextsCompilesAndHolds() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.update { data in
        try data.set((data.object(Int.self, forKey: "visits") ?? 0) + 1, forKey: "visits")
      }

      let visits = try await GlobalData.update { data in
        let visits = (try data.object(Int.self, forKey: "visits") ?? 0) + 1
        try data.set(visits, forKey: "visits")
        return visits
      }
      #expect(visits == 2)
    }
  }
}
