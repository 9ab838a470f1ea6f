import Foundation
import GlobalData
import Synchronization
import Testing

struct QueryDiagnosticTests {
  struct Place: Codable, Hashable, Sendable {
    var hall: String
    var row: Int
  }

  struct Seat: Codable, Identifiable, Sendable {
    var id: Place
    var guest: String?
  }

  @Test func aPredicateThatCannotBeEvaluatedIsNotTakenForAnUnreadableValue() async throws {
    let found = Found()
    var configuration = GlobalData.Configuration()
    configuration.diagnosticHandler = { found.add($0) }
    let store = GlobalData.inMemory(configuration: configuration)
    let seats = store.collection(of: Seat.self)
    try await seats.insert(Seat(id: Place(hall: "a", row: 1), guest: nil))
    #expect(seats.filter(#Predicate { $0.guest!.isEmpty }).isEmpty)
    let diagnostic = try #require(found.all.first)
    #expect(diagnostic.key == store.allKeys.first)
    #expect(diagnostic.message.contains("predicate"))
    #expect(!diagnostic.message.contains("could not be read"))
  }

  private final class Found: Sendable {
    private let diagnostics = Mutex<[GlobalData.Diagnostic]>([])
    var all: [GlobalData.Diagnostic] { diagnostics.withLock { $0 } }
    func add(_ diagnostic: GlobalData.Diagnostic) { diagnostics.withLock { $0.append(diagnostic) } }
  }
}
