import Foundation
import GlobalData
import GlobalDataTesting
import SwiftUI
import TestSupport
import Testing
import ViewHosting
import Views
import ViewsInSwift5
import ViewsOnMainActor

/// The language modes in which the views are compiled.
enum Mode: CaseIterable, Sendable {
  case swift6
  case swift5
  case mainActorByDefault

  @MainActor func noteView() -> any View {
    switch self {
    case .swift6: Views.NoteView()
    case .swift5: ViewsInSwift5.NoteView()
    case .mainActorByDefault: ViewsOnMainActor.NoteView()
    }
  }

  @MainActor func settings() -> any View {
    switch self {
    case .swift6: Views.settings()
    case .swift5: ViewsInSwift5.settings()
    case .mainActorByDefault: ViewsOnMainActor.settings()
    }
  }

  @MainActor func tellingSettings() -> any View {
    switch self {
    case .swift6: Views.tellingSettings()
    case .swift5: ViewsInSwift5.tellingSettings()
    case .mainActorByDefault: ViewsOnMainActor.tellingSettings()
    }
  }

  @MainActor var banners: [String] {
    switch self {
    case .swift6: Views.Banner.shared.texts
    case .swift5: ViewsInSwift5.Banner.shared.texts
    case .mainActorByDefault: ViewsOnMainActor.Banner.shared.texts
    }
  }

  @MainActor func ownerView(
    _ store: GlobalData, onFailure: @escaping @MainActor @Sendable (any Error) -> Void = { Issue.record($0) }
  ) -> any View {
    switch self {
    case .swift6: Views.OwnerView(store: store, onFailure: onFailure)
    case .swift5: ViewsInSwift5.OwnerView(store: store, onFailure: onFailure)
    case .mainActorByDefault: ViewsOnMainActor.OwnerView(store: store, onFailure: onFailure)
    }
  }
}

@MainActor @Suite struct StoredTests {
  private func withStore(_ body: (GlobalData, FaultInjector, URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let faults = FaultInjector()
      let url = folder.appendingPathComponent("store.archive")
      let store = GlobalData.faulty(at: url, faults)
      try await body(store, faults, url)
    }
  }

  private func note(_ url: URL) throws -> String? {
    try GlobalData.faulty(at: url, FaultInjector()).object(String.self, forKey: "note")
  }

  @Test(arguments: Mode.allCases)
  func quicklyTypedTextIsStoredCompletely(mode: Mode) async throws {
    try await withStore { store, faults, url in
      let host = await GlobalData.withStore(store) { ViewHost(mode.noteView()) }
      let field = try #require(host.field("Note"))
      faults.pause(.rename)
      for (number, character) in "hello world".enumerated() {
        field.type(character)
        // The first write is paused until the text is typed. The view is drawn all the time.
        if number == 0 { try await faults.reached(.rename) }
        for _ in 0..<number { await Task.yield() }
      }
      #expect(field.text == "hello world")
      faults.resume()
      while try note(url) != "hello world" { await Task.yield() }
      while host.texts != ["hello world"] { await Task.yield() }
      #expect(field.history.dropFirst() == (1...11).map { "hello world".prefix($0).description }[...])
      #expect(faults.calls.filter { $0.operation == .rename }.count == 2, "those in between are skipped")
    }
  }

  @Test(arguments: Mode.allCases)
  func textTypedDuringWritesIsStoredCompletely(mode: Mode) async throws {
    try await withStore { store, _, url in
      let host = await GlobalData.withStore(store) { ViewHost(mode.noteView()) }
      let field = try #require(host.field("Note"))
      let text = String(repeating: "the quick brown fox ", count: 10)
      for (number, character) in text.enumerated() {
        field.type(character)
        for _ in 0..<number % 40 { await Task.yield() }
      }
      while try note(url) != text { await Task.yield() }
      #expect(field.text == text)
      #expect(field.history.count == text.count + 1, "each text shows once, and no older one again")
    }
  }

  @Test(arguments: Mode.allCases)
  func movingASliderStoresItsValue(mode: Mode) async throws {
    try await withStore { store, _, _ in
      let host = await GlobalData.withStore(store) { ViewHost(mode.settings()) }
      let slider = try #require(host.slider)
      #expect(slider.wrappedValue == 0.5)
      for step in 50...80 { slider.wrappedValue = Double(step) / 100 }
      #expect(slider.wrappedValue == 0.8)
      try await store.close()
      #expect(try store.object(Double.self, forKey: "volume") == 0.8)
      #expect(host.press("Mute"))
      #expect(host.slider?.wrappedValue == 0)
      try await store.close()
      #expect(try store.object(Double.self, forKey: "volume") == 0)
    }
  }

  @Test(arguments: Mode.allCases)
  func aViewShowsAFailureUntilAValueIsSet(mode: Mode) async throws {
    try await withStore { store, faults, _ in
      let host = await GlobalData.withStore(store) { ViewHost(mode.tellingSettings()) }
      let slider = try #require(host.slider)
      faults.fail(.write, with: .noSpace)
      slider.wrappedValue = 0.9
      while host.texts != ["The volume could not be saved."] { await Task.yield() }
      #expect(slider.wrappedValue == 0.5)
      #expect(mode.banners.count == 1)
      #expect(mode.banners.first?.hasPrefix("Not saved: ") == true)
      slider.wrappedValue = 0.6
      while host.texts != [] { await Task.yield() }
      try await store.close()
      #expect(try store.object(Double.self, forKey: "volume") == 0.6)
    }
  }

  @Test(arguments: Mode.allCases)
  func twoViewsOfOneKeyAgree(mode: Mode) async throws {
    try await withStore { store, _, url in
      let first = ViewHost(mode.ownerView(store))
      let second = await GlobalData.withStore(store) { ViewHost(mode.noteView()) }
      try #require(first.field("Note")).type("a")
      while first.texts.last != "note: a" || second.texts != ["a"] { await Task.yield() }
      try #require(second.field("Note")).type("b")
      while first.texts.last != "note: ab" || second.texts != ["ab"] { await Task.yield() }
      #expect(first.field("Note")?.text == "ab")
      #expect(second.press("Clear"))
      while first.texts.last != "note: " { await Task.yield() }
      try await store.close()
      #expect(try note(url) == "")
    }
  }

  @Test(arguments: Mode.allCases)
  func aViewKeepsItsStoreAndFollowsAGivenOne(mode: Mode) async throws {
    try await withStore { store, _, _ in
      let other = GlobalData.inMemory()
      try await store.set("one", forKey: "note")
      try await other.set("two", forKey: "note")
      let host = await GlobalData.withStore(store) { ViewHost(mode.noteView()) }
      #expect(host.texts == ["one"])
      // Created again while another store is the current one.
      host.show(mode.noteView())
      #expect(host.texts == ["one"])

      let given = ViewHost(mode.ownerView(store))
      #expect(given.texts.last == "note: one")
      given.show(mode.ownerView(other))
      #expect(given.texts.last == "note: two")
      #expect(given.field("Note")?.text == "two")
      try #require(given.field("Note")).type("!")
      try await other.close()
      #expect(try other.object(String.self, forKey: "note") == "two!")
      #expect(try store.object(String.self, forKey: "note") == "one")
    }
  }

  @Test(arguments: Mode.allCases)
  func aViewThatIsRecreatedWhileTypingLosesNothing(mode: Mode) async throws {
    try await withStore { store, faults, url in
      faults.pause(.create)
      let host = ViewHost(mode.ownerView(store))
      for character in "hello" {
        try #require(host.field("Note")).type(character)
        host.show(mode.ownerView(store))
        await Task.yield()
      }
      #expect(host.field("Note")?.text == "hello")
      faults.resume()
      while try note(url) != "hello" { await Task.yield() }
      #expect(host.field("Note")?.text == "hello")
    }
  }

  @Test(arguments: Mode.allCases)
  func aFailedWriteRevertsTheValueAndNotifiesTheView(mode: Mode) async throws {
    try await withStore { store, faults, url in
      try await store.set("kept", forKey: "note")
      var failures: [any Error] = []
      var diagnostics = store.diagnostics.makeAsyncIterator()
      let host = ViewHost(mode.ownerView(store) { _ in Issue.record("the view's newest value must be reported") })
      host.show(mode.ownerView(store) { failures.append($0) })
      faults.fail(.write, with: .noSpace)
      try #require(host.field("Note")).replace(with: "lost")
      #expect(host.field("Note")?.text == "lost")
      while failures.isEmpty { await Task.yield() }
      while host.texts != ["nobody", "not stored", "note: kept"] { await Task.yield() }
      #expect(host.field("Note")?.text == "kept")
      #expect((failures[0] as? GlobalDataError)?.code == .writeFailed)
      let diagnostic = await diagnostics.next()
      #expect(diagnostic?.kind == .writeFailed)
      #expect(diagnostic?.key == "note")
      #expect(try note(url) == "kept")

      try #require(host.field("Note")).type("!")
      while host.texts != ["nobody", "stored", "note: kept!"] { await Task.yield() }
      try await store.close()
      #expect(try note(url) == "kept!")
      #expect(failures.count == 1)
    }
  }

  @Test(arguments: Mode.allCases)
  func theDefaultShowsAgainIfNothingCanBeWritten(mode: Mode) async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      try Data().write(to: file)
      let store = GlobalData(at: file.appendingPathComponent("store.archive"))
      var failures = 0
      let host = ViewHost(mode.ownerView(store) { _ in failures += 1 })
      try #require(host.field("Note")).replace(with: "lost")
      while failures == 0 || host.field("Note")?.text != "" { await Task.yield() }
      #expect(failures == 1)
    }
  }

  @Test(arguments: Mode.allCases)
  func theWritesOfOthersShow(mode: Mode) async throws {
    try await withStore { store, _, url in
      let host = ViewHost(mode.ownerView(store))
      #expect(host.texts == ["nobody", "stored", "note: "])
      // Other code of the app.
      try await store.set("here", forKey: "note")
      while host.texts.last != "note: here" { await Task.yield() }
      // Like another process, which only knows the file.
      let other = GlobalData.faulty(at: url, FaultInjector())
      try await other.update { data in
        try data.set("there", forKey: "note")
        try data.set("Al", forKey: "owner")
      }
      try await store.refresh()
      while host.texts != ["Al", "stored", "note: there"] { await Task.yield() }
      #expect(host.field("Note")?.text == "there")
    }
  }

  @Test(arguments: Mode.allCases)
  func settingNilRemovesTheValue(mode: Mode) async throws {
    try await withStore { store, _, _ in
      let host = ViewHost(mode.ownerView(store))
      #expect(host.press("Buy"))
      while host.texts.first != "Jo" { await Task.yield() }
      try await store.close()
      #expect(store.contains("owner"))
      #expect(host.press("Sell"))
      while host.texts.first != "nobody" { await Task.yield() }
      try await store.close()
      #expect(!store.contains("owner"))
    }
  }

  @Test(arguments: Mode.allCases)
  func aViewIsNotComputedAgainForOtherKeysOrItsOwnWrites(mode: Mode) async throws {
    try await withStore { store, _, _ in
      let host = await GlobalData.withStore(store) { ViewHost(mode.noteView()) }
      let before = host.computations
      try await store.set(1, forKey: "something else")
      for _ in 0..<100 { await Task.yield() }
      #expect(host.computations == before)
      try #require(host.field("Note")).type("a")
      while host.texts != ["a"] { await Task.yield() }
      let shown = host.computations
      try await store.close()
      for _ in 0..<100 { await Task.yield() }
      #expect(host.computations == shown, "what shows is not read again")
    }
  }
}
