import GlobalData
import Testing

extension GlobalData.Keys {
  fileprivate static let visits = Key("visits", default: 0)
  fileprivate static let nickname = Key<String?>("nickname")
}

/// The shorter examples of the reference.
@Suite struct KeysReferenceExamples {
  @Test func aKeyGivesItsDefault() async {
    await GlobalData.withStore(.inMemory()) {
      let visits = GlobalData[.visits]
      #expect(visits == 0 && GlobalData[.nickname] == nil)
    }
  }
}
