import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Concurrent calls, which often share a commit, on a failing disk. Every call reports its own outcome, and the stores
/// contain the changes of exactly the calls that report success.
@Suite struct RandomCallsTests {
  @MainActor @Test(arguments: SeededGenerator.seeds(10)) func everyCallReportsItsOwnOutcome(seed: UInt64) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      var random = SeededGenerator(seed: seed)
      let stores = (0..<2).map { number in
        var configuration = GlobalData.Configuration()
        configuration.persistence = random.below(2) == 0 ? .appending : .rewriting
        configuration.durability = [.processCrash, .ordered, .powerLoss][random.below(3)]
        let faults = FaultInjector()
        let store = GlobalData.faulty(at: folder.file("store"), faults, configuration: configuration)
        return (store: store, faults: faults)
      }
      var texts: [String: String] = [:]
      for round in 0..<40 {
        let (store, faults) = stores[random.below(2)]
        let calls = (0...random.below(6)).compactMap { number in
          WriteCall.Kind.allCases.randomElement(using: &random).map { WriteCall(kind: $0, text: "\(round) \(number)") }
        }
        setFault(of: faults, &random)
        let tasks = calls.map { call in Task { try await call.make(in: store) } }
        var answers: [(WriteCall, Result<WriteCall.Answer, any Error>)] = []
        for (call, task) in zip(calls, tasks) { answers.append((call, await task.result)) }
        let wasFaulty = faults.faultCount > 0
        faults.reset()

        let comment: Comment = "seed \(seed), round \(round): \(answers)"
        let possible = try states(after: answers, from: texts, wasFaulty, comment)
        try await store.refresh()
        texts = try WriteCall.texts(in: store)
        try #require(possible.contains(texts), comment)
        for (other, _) in stores {
          try await other.refresh()
          try #require(try WriteCall.texts(in: other) == texts, comment)
        }
        let file = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
        try #require(try WriteCall.texts(in: file) == texts, comment)
      }
      for (store, faults) in stores {
        try await store.close()
        #expect(faults.openFileCount == 0)
      }
    }
  }

  private func setFault(of faults: FaultInjector, _ random: inout SeededGenerator) {
    let reason = [StorageFailure.noSpace, .inputOutput, .readOnly][random.below(3)]
    switch random.below(3) {
    case 0: break
    case 1: faults.failCall(random.below(40), andLaterOnes: random.below(2) == 0, with: reason)
    default:
      let operation = StorageOperation.all[random.below(StorageOperation.all.count)]
      faults.fail(operation, after: random.below(3), times: 1 + random.below(2), with: reason)
    }
  }

  /// Returns the states that are possible after calls with these answers. A clear that fails may have removed the values
  /// or not, so there may be several.
  private func states(
    after answers: [(WriteCall, Result<WriteCall.Answer, any Error>)], from texts: [String: String], _ wasFaulty: Bool,
    _ comment: Comment
  ) throws -> Set<[String: String]> {
    var states: Set = [texts]
    for (call, answer) in answers {
      switch answer {
      case .success(let answer):
        states = Set(states.compactMap { state in after(call, state) { $0 == answer } })
      case .failure(let error):
        try #require(wasFaulty, comment)
        switch try #require(error as? GlobalDataError, comment).code {
        case .durabilityUnknown:
          states = Set(states.compactMap { state in after(call, state) { if case .made = $0 { true } else { false } } })
        case .removeFailed: states.formUnion(states.compactMap { state in after(call, state) { _ in true } })
        default: break
        }
      }
      try #require(!states.isEmpty, "\(comment), no state fits the answer to \(call)")
    }
    return states
  }

  /// Returns the state after a call, or `nil` if the call would have another answer in this state.
  private func after(
    _ call: WriteCall, _ state: [String: String], _ fits: (WriteCall.Answer) -> Bool
  ) -> [String: String]? {
    var changed = state
    return fits(call.apply(to: &changed)) ? changed : nil
  }
}
