import Foundation
import GlobalData
import Testing

extension GlobalData.Keys {
  fileprivate static let visits = Key("visits", default: 0)
  fileprivate static let nickname = Key<String?>("nickname")  // nil where it is absent
  fileprivate static let session = Key("session", default: UUID())  // one for the process, until it is set
}

extension GlobalData.Keys {
  fileprivate static let installation = Key<UUID?>("installation")
}

@Suite struct DeclaringKeysExamples {
  @Test func declaredKeysReadLikeProperties() async throws {
    try await GlobalData.withStore(.inMemory()) {
      let visits = GlobalData[.visits]  // Int, immediately, no await, no try
      try await GlobalData.set(visits + 1, for: .visits)
      try await GlobalData.set("Ada", for: .nickname)
      try await GlobalData.set(nil, for: .nickname)  // removes it
      try await GlobalData.reset(.visits)  // the default again
      #expect(GlobalData[.visits] == 0 && GlobalData[.nickname] == nil)
      #expect(GlobalData.allKeys.isEmpty)
      #expect(GlobalData[.session] == GlobalData[.session], "a default is computed once")
      #expect(GlobalData.allKeys.isEmpty, "a default is never stored by itself")
      try await checkStoringAtFirstUse()

      try await GlobalData.update { data in
        data[.visits] += 1
        data[.nickname] = "Ada"
      }
      try checkReading()
      try await GlobalData.clear(keeping: [.installation])
      #expect(GlobalData.allKeys == ["installation"])
    }
  }

  private func checkStoringAtFirstUse() async throws {
    for _ in 0..<2 {
      let installation = try await GlobalData.update { data in
        let installation = data[.installation] ?? UUID()
        data[.installation] = installation
        return installation
      }
      #expect(GlobalData[.installation] == installation)
    }
  }

  private func checkReading() throws {
    let visits = try GlobalData.value(for: .visits)
    #expect(visits == 1)
    #expect(GlobalData[.nickname] == "Ada")
  }
}
