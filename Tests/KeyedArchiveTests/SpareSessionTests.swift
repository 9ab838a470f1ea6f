import Testing

@testable import KeyedArchive

@Suite struct SpareSessionTests {
  private func session(_ registry: TypeRegistry) -> EncodingSession {
    EncodingSession(registry: registry, limits: ArchiveLimits(), userInfo: [:], isDeferred: false, isDeep: false)
  }

  @Test func sessionsThatNobodyTakesMakeRoomForOthers() {
    let (spares, earlier, later) = (SpareSessions(), TypeRegistry(), TypeRegistry())
    for _ in 0..<10 { spares.put(session(earlier)) }
    #expect(spares.take(later, ArchiveLimits()) == nil)
    let latest = session(later)
    spares.put(latest)
    #expect(spares.take(later, ArchiveLimits()) === latest)
    #expect(spares.take(later, ArchiveLimits()) == nil)
    #expect(spares.take(earlier, ArchiveLimits()) != nil)
  }
}
