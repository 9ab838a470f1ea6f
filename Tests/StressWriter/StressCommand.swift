import Foundation
import GlobalData

/// The words on the command line are not valid arguments.
struct UsageError: Error {
  var message: String
}

/// The parsed arguments.
struct StressCommand {
  static let usage = """
    usage: stress-writer [OPTION] FILE COUNT SIZE        saves COUNT numbered values of SIZE bytes;
                                                         TRY n before each, ACK n or ERR n REASON after it
           stress-writer [OPTION] check FILE ACKED STARTED
                                                         0 if the file holds save n, ACKED <= n <= STARTED; else 1 and
                                                         LOST, STALE, CORRUPT or FUTURE
           stress-writer [OPTION] increment FILE COUNT   adds 1 to one counter COUNT times; TRY n, then ACK COUNTER or
                                                         ERR n REASON; the last line is the counter
           stress-writer [OPTION] number FILE LAST KEYS  writes numbers up to LAST under KEYS keys in turn, each with its time;
                                                         TRY n before each, ACK n NANOSECONDS after it
           stress-writer [OPTION] watch FILE LAST        follows what others write until number LAST has come: CHANGE ORIGIN,
                                                         then of each key KEY OLD NEW AGE, in nanoseconds; before,
                                                         meanwhile and afterwards its descriptors
           stress-writer [OPTION] perform FILE KEY BACKUP OPERATION...
                                                         performs set, remove, clear, restore, read and reopen;
                                                         TRY n OPERATION TIME before each, ACK n TIME or ERR n REASON
                                                         after it; after read, KEY=NUMBER of each number of the store
           stress-writer descriptors FOLDER              closes standard input and error; prints the descriptors of
                                                         a folder and of files made in it
    OPTION: --durability powerLoss|ordered|processCrash, --appending, --recovering (keeps what is intact),
            --quiet (logs no diagnostics), --unwatched (does not watch the file)
    """

  enum Task {
    case save(count: Int, size: Int)
    case check(acknowledged: Int, started: Int)
    case increment(count: Int)
    case number(last: Int, keys: Int)
    case watch(last: Int)
    case perform([Operation], key: String, backup: URL)
    case descriptors
  }

  let file: URL
  let task: Task
  private(set) var configuration: GlobalData.Configuration = {
    var configuration = GlobalData.Configuration()
    // A store that continues with the intact entries would hide damage.
    configuration.recoveryPolicy = .refuse
    return configuration
  }()

  /// More than any test needs, and too little for an overflow or for exhausting memory.
  private static let greatestCount = 1_000_000_000

  init(_ words: [String]) throws {
    let operands = try StressCommand.operands(words, &configuration)
    switch operands.first {
    case "check":
      guard operands.count == 4 else { throw UsageError(message: "check needs FILE, ACKED and STARTED") }
      file = try StressCommand.file(operands[1])
      let acknowledged = try StressCommand.number(operands[2], "ACKED")
      let started = try StressCommand.number(operands[3], "STARTED")
      guard acknowledged <= started else { throw UsageError(message: "ACKED is greater than STARTED") }
      task = .check(acknowledged: acknowledged, started: started)
    case "increment":
      guard operands.count == 3 else { throw UsageError(message: "increment needs FILE and COUNT") }
      file = try StressCommand.file(operands[1])
      task = .increment(count: try StressCommand.number(operands[2], "COUNT"))
    case "number":
      guard operands.count == 4 else { throw UsageError(message: "number needs FILE, LAST and KEYS") }
      file = try StressCommand.file(operands[1])
      let keys = try StressCommand.number(operands[3], "KEYS")
      guard keys > 0 else { throw UsageError(message: "KEYS is 0") }
      task = .number(last: try StressCommand.number(operands[2], "LAST"), keys: keys)
    case "watch":
      guard operands.count == 3 else { throw UsageError(message: "watch needs FILE and LAST") }
      file = try StressCommand.file(operands[1])
      task = .watch(last: try StressCommand.number(operands[2], "LAST"))
    case "perform":
      guard operands.count > 4 else { throw UsageError(message: "perform needs FILE, KEY, BACKUP and operations") }
      file = try StressCommand.file(operands[1])
      let operations = try operands[4...].map { word in
        guard let operation = Operation(rawValue: word) else {
          throw UsageError(message: "there is no operation \(word)")
        }
        return operation
      }
      task = .perform(operations, key: operands[2], backup: try StressCommand.file(operands[3]))
    case "descriptors":
      guard operands.count == 2 else { throw UsageError(message: "descriptors needs FOLDER") }
      file = try StressCommand.file(operands[1])
      task = .descriptors
    case _? where operands.count == 3:
      file = try StressCommand.file(operands[0])
      task = .save(
        count: try StressCommand.number(operands[1], "COUNT"), size: try StressCommand.number(operands[2], "SIZE"))
    default:
      throw UsageError(message: operands.isEmpty ? "no arguments" : "the number of arguments is wrong")
    }
  }

  /// Removes the options from the words. After `--`, nothing is an option.
  private static func operands(
    _ words: [String], _ configuration: inout GlobalData.Configuration
  ) throws -> [String] {
    var operands: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--":
        return operands + rest
      case "--durability":
        guard let name = rest.popFirst(), let level = Durability(rawValue: name) else {
          throw UsageError(message: "--durability needs powerLoss, ordered or processCrash")
        }
        configuration.durability = level
      case "--appending":
        configuration.persistence = .appending
      case "--recovering":
        configuration.recoveryPolicy = .keepIntactEntries
      case "--unwatched":
        configuration.watchesFile = false
      case "--quiet":
        configuration.diagnosticHandler = { _ in }
      case _ where word.hasPrefix("--"):
        throw UsageError(message: "there is no option \(word)")
      default:
        operands.append(word)
      }
    }
    return operands
  }

  private static func file(_ word: String) throws -> URL {
    guard !word.isEmpty else { throw UsageError(message: "FILE is empty") }
    return URL(fileURLWithPath: word)
  }

  private static func number(_ word: String, _ name: String) throws -> Int {
    guard let number = Int(word), (0...greatestCount).contains(number) else {
      throw UsageError(message: "\(name) must be a number from 0 to \(greatestCount), not \"\(word)\"")
    }
    return number
  }

  /// - Returns: The exit status.
  func run() async throws -> Int32 {
    if case .descriptors = task {
      try printDescriptors()
      return 0
    }
    var configuration = configuration
    // Any process may take the lock while it is free, and disks of test machines are slow.
    configuration.lockTimeout = .seconds(600)
    if case .watch(let last) = task {
      try await Stamp.watch(file, configuration, last: last)
      return 0
    }
    if case .perform(let operations, let key, let backup) = task {
      try await Operation.perform(operations, on: key, of: file, configuration, backup: backup)
      return 0
    }
    let store = GlobalData(at: file, configuration: configuration)
    switch task {
    case .save(let count, let size):
      try await NumberedValue.save(to: store, count: count, size: size)
      // A process that ends while its store rewrites the file leaves a temporary file, like one that is killed.
      try await store.close()
    case .check(let acknowledged, let started):
      if let problem = NumberedValue.problem(in: store, acknowledged: acknowledged, started: started) {
        try say(problem)
        return 1
      }
    case .increment(let count):
      let failures = try await Counter.increment(in: store, count: count)
      return failures == 0 ? 0 : 3
    case .number(let last, let keys):
      try await Stamp.write(to: store, last: last, keys: keys)
      try await store.close()
    case .watch, .perform, .descriptors: break
    }
    return 0
  }

  /// Closes standard input and error, opens a folder and files in each way that a store does, and prints their
  /// descriptors.
  private func printDescriptors() throws {
    // Not in a shell, because descriptors that the runtime opens at the start would get these numbers.
    for stream: Int32 in [0, 2] { _ = close(stream) }
    let system = GlobalData.systemCalls
    let folder = try system.openDirectory(file.path, forListing: true)
    let created = try system.create("created", in: folder)
    let descriptors = [
      folder, created, try system.openLock("lock", in: folder),
      try system.openExisting("created", in: folder, isForUpdating: false),
      try system.openExisting("created", in: folder, isForUpdating: true), try system.duplicate(created),
    ]
    try say(descriptors.map { "\($0.rawValue)" }.joined(separator: " "))
  }
}
