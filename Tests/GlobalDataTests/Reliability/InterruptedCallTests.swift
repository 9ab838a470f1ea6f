import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Calls of two processes. One stands still before a system call, while the other makes whole calls.
@Suite struct InterruptedCallTests {
  @Test(arguments: SeededGenerator.seeds(8)) func anInterruptedCallIsMadeAtOneMoment(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var interruptions = 0
    for number in 0..<40 {
      try await withTemporaryDirectory { folder in
        let call = try await InterruptedCall(in: folder, "seed \(seed), number \(number)", using: &random)
        interruptions += try await call.make()
      }
    }
    #expect(interruptions > 5)
  }
}

/// A call that stands still before one or two of its system calls.
private struct InterruptedCall {
  private typealias Texts = [String: String]

  private struct Interruption {
    /// The number of the system call, from 1.
    var number: Int
    var call: WriteCall
    let pause = CallPause()
  }

  private let folder: URL
  private let system = FaultySystemCalls()
  private let store: GlobalData
  private let other: GlobalData
  private let call: WriteCall
  private let interruptions: [Interruption]
  private let name: String

  init(in folder: URL, _ name: String, using random: inout SeededGenerator) async throws {
    self.folder = folder
    var configurations = (0..<2).map { _ in
      var configuration = GlobalData.Configuration()
      configuration.persistence = random.below(2) == 0 ? .appending : .rewriting
      configuration.durability = random.below(2) == 0 ? .processCrash : .ordered
      return configuration
    }
    // The first store may hold the lock while it stands still.
    configurations[1].lockTimeout = .zero
    store = GlobalData(at: folder.file("store"), configuration: configurations[0], system: system)
    other = GlobalData(at: folder.file("store"), configuration: configurations[1], system: POSIXSystemCalls())
    func call(_ text: String) -> WriteCall {
      let kinds = WriteCall.Kind.allCases
      return WriteCall(kind: kinds[random.below(kinds.count)], text: text)
    }
    for number in 0..<random.below(4) {
      _ = try await call("before \(number)").make(in: random.below(2) == 0 ? store : other)
    }
    self.call = call("interrupted")
    interruptions = (0...random.below(2)).map { Interruption(number: 1 + random.below(24), call: call("other \($0)")) }
      .sorted { $0.number < $1.number }
    self.name = """
      \(name): \(self.call), \(configurations[0].persistence), \
      \(interruptions.map { "before \($0.number): \($0.call)" }), \(configurations[1].persistence)
      """
  }

  private var texts: Texts {
    get throws { try WriteCall.texts(in: GlobalData(at: folder.file("store"), system: POSIXSystemCalls())) }
  }

  /// Makes the calls. Returns the number of calls that the other process made in between.
  func make() async throws -> Int {
    let before = try texts
    system.recover()
    for interruption in interruptions { system.failCall(number: interruption.number, .pause(interruption.pause)) }
    let task = Task.detached(executorPreference: OwnThread()) { [call, store, interruptions] in
      defer { for interruption in interruptions { interruption.pause.end() } }
      return try await call.make(in: store)
    }
    var answers: [(call: WriteCall, answer: WriteCall.Answer)] = []
    for interruption in interruptions {
      guard await interruption.pause.reached() else { break }
      do {
        answers.append((interruption.call, try await interruption.call.make(in: other)))
      } catch let error as GlobalDataError {
        try #require(error.code == .busy, "\(name): \(error)")
      }
      interruption.pause.end()
    }
    let answer = try await task.value
    let comment = "\(name): \(answers), \(answer), from \(before)"

    let possible = (0...answers.count).compactMap { position in
      var order = answers
      order.insert((call, answer), at: position)
      return result(of: order, on: before)
    }
    let found = try texts
    try #require(possible.contains(found), "\(found): \(comment)")
    for store in [store, other] {
      try await store.refresh()
      try #require(try WriteCall.texts(in: store) == found, "\(comment)")
    }
    try #require(try folderContents(folder).allSatisfy { $0 == "store" }, "\(comment)")
    return answers.count
  }

  /// Returns the texts after some calls, or `nil` if the calls would have other answers in this order.
  private func result(of calls: [(call: WriteCall, answer: WriteCall.Answer)], on before: Texts) -> Texts? {
    var texts = before
    for (call, answer) in calls where call.apply(to: &texts) != answer { return nil }
    return texts
  }
}
