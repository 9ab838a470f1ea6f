import Foundation
import GlobalData

// A writer that a test can kill at any moment. It says what it is about to do before it does it, and that it is done
// after the store said so:
//
//     stress-writer [--durability LEVEL] FILE COUNT SIZE      saves COUNT numbered values; TRY n, then ACK n or ERR n
//     stress-writer check FILE ACKED STARTED                  0 only if the file holds save n, ACKED <= n <= STARTED

/// Writes a line to descriptor 1 at once: a buffered line would die with the process.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// A value that shows which save it is from and whether all of it is there.
struct NumberedValue: Codable, Sendable {
  var number: Int
  var filling: Data

  init(number: Int, size: Int) {
    self.number = number
    filling = NumberedValue.filling(number, size)
  }

  var isWhole: Bool { filling == NumberedValue.filling(number, filling.count) }

  private static func filling(_ number: Int, _ size: Int) -> Data {
    Data((0..<size).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) })
  }
}

let key = "value"

func save(to store: GlobalData, count: Int, size: Int) async throws {
  // A writer that was started again goes on with the numbers.
  let first = try store.object(NumberedValue.self, forKey: key).map { $0.number + 1 } ?? 1
  for number in first..<first + count {
    say("TRY \(number)")
    do {
      try await store.set(NumberedValue(number: number, size: size), forKey: key)
      say("ACK \(number)")
    } catch {
      say("ERR \(number) \(error)")
    }
  }
}

/// Whether the file holds a save that may be there: none older than the last acknowledged, none that was not begun.
func check(_ store: GlobalData, acknowledged: Int, started: Int) -> Int32 {
  let value: NumberedValue?
  do {
    value = try store.object(NumberedValue.self, forKey: key)
  } catch {
    say("CORRUPT \(error)")
    return 1
  }
  guard let value else {
    if acknowledged > 0 { say("LOST the file holds nothing, acknowledged was \(acknowledged)") }
    return acknowledged > 0 ? 1 : 0
  }
  guard value.isWhole else {
    say("CORRUPT save \(value.number) is not whole")
    return 1
  }
  guard value.number >= acknowledged else {
    say("STALE the file holds save \(value.number), acknowledged was \(acknowledged)")
    return 1
  }
  guard value.number <= started else {
    say("FUTURE the file holds save \(value.number), started was \(started)")
    return 1
  }
  return 0
}

func run(_ arguments: [String]) async throws -> Int32? {
  var words = arguments
  var configuration = GlobalData.Configuration()
  if let option = words.firstIndex(of: "--durability") {
    guard option + 1 < words.count, let level = Durability(rawValue: words[option + 1]) else { return nil }
    configuration.durability = level
    words.removeSubrange(option...option + 1)
  }
  if words.count == 4, words[0] == "check", let acknowledged = Int(words[2]), let started = Int(words[3]) {
    return check(
      GlobalData(at: URL(fileURLWithPath: words[1])), acknowledged: acknowledged, started: started)
  }
  guard words.count == 3, let count = Int(words[1]), let size = Int(words[2]), count >= 0, size >= 0 else {
    return nil
  }
  let store = GlobalData(at: URL(fileURLWithPath: words[0]), configuration: configuration)
  try await save(to: store, count: count, size: size)
  return 0
}

do {
  if let status = try await run(Array(CommandLine.arguments.dropFirst())) { exit(status) }
  let usage = """
    usage: stress-writer [--durability powerLoss|ordered|processCrash] FILE COUNT SIZE
           stress-writer check FILE ACKED STARTED

    """
  FileHandle.standardError.write(Data(usage.utf8))
  exit(2)
} catch {
  FileHandle.standardError.write(Data("stress-writer: \(error)\n".utf8))
  exit(3)
}
