import Foundation
import GlobalData

enum WatchCommand: Command {
  static let name = "watch"
  static let synopsis = "[--json] FILE"
  static let summary = "prints changes as apps write them"
  static let discussion = """
    Prints the changes of other processes to FILE as they happen, until it is interrupted: one line for each key that was
    removed (-), added (+) or changed (~), with its values, shortened if they are long. May skip values that are
    quickly replaced, but always prints the last one. FILE need not exist yet.

    --json   prints an object on its own line for each key instead, with the fields "key" and "change" ("added",
             "removed" or "changed") and, where there is a value, "type", "size" and, if it can be read, "value"
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let store = try ArchiveOperand(arguments.operands[0]).store()
    // A file that cannot be read is reported once, and not also as one that changed.
    try await store.open()
    // Before the first snapshot, so that no change is missed.
    let changes = store.changes
    var before = try store.snapshot()
    let contents =
      store.state == .absent ? "does not exist yet" : "holds \(counted(before.allKeys.count, "entry", "entries"))"
    Output.complain("watching \(arguments.operands[0]), which \(contents)")
    for await _ in changes {
      let now = try store.snapshot()
      for line in lines(from: before, to: now, inJSON: arguments.has("--json")) { try Output.write(line) }
      before = now
    }
    return .done
  }

  private static func lines(from before: GlobalData.Snapshot, to now: GlobalData.Snapshot, inJSON: Bool) -> [String] {
    let change = now.changes(since: before)
    let removed = before.allKeys.filter(change.removedKeys.contains)
    let set = now.allKeys.filter(change.setKeys.contains)
    return (removed + set).map { key in
      inJSON ? json(key, before, now) : text(key, before, now)
    }
  }

  private static func text(_ key: String, _ before: GlobalData.Snapshot, _ now: GlobalData.Snapshot) -> String {
    let name = key.quotedIfNeeded
    switch (brief(key, before), brief(key, now)) {
    case (let old?, let new?): return Style.yellow("~ \(name)") + "  \(old) -> \(new)"
    case (nil, let new?): return Style.green("+ \(name)") + "  \(new)"
    case (let old?, nil): return Style.red("- \(name)") + "  \(old)"
    case (nil, nil): return name
    }
  }

  private static func brief(_ key: String, _ snapshot: GlobalData.Snapshot) -> String? {
    guard let entry = snapshot.entry(forKey: key) else { return nil }
    return "\(entry.type.quotedIfNeeded) \(value(key, snapshot)?.brief() ?? "that cannot be read")"
  }

  /// Returns the value of an entry. If it cannot be read, reports why: the values that follow are still of interest.
  private static func value(_ key: String, _ snapshot: GlobalData.Snapshot) -> ArchiveValue? {
    do {
      return try snapshot.object(ArchiveValue.self, forKey: key) ?? .null
    } catch {
      Output.complain("\(error)")
      return nil
    }
  }

  private static func json(_ key: String, _ before: GlobalData.Snapshot, _ now: GlobalData.Snapshot) -> String {
    var object = ArchiveObject()
    object["key"] = .string(key)
    object["change"] = .string(!now.contains(key) ? "removed" : before.contains(key) ? "changed" : "added")
    if let entry = now.entry(forKey: key) {
      object["type"] = .string(entry.type)
      object["size"] = .int(entry.size)
      object["value"] = value(key, now)
    }
    let writer = TextWriter(.compact)
    writer.append(json: .object(object))
    return writer.collected
  }
}
