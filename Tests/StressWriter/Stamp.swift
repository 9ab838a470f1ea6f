import Dispatch
import Foundation
import GlobalData

/// A value that shows its write, and when that write began.
struct Stamp: Codable, Sendable {
  var number: Int
  /// In nanoseconds of a clock that all processes of a system share.
  var time: UInt64

  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Returns the key for a number.
  static func key(of number: Int, among keys: Int) -> String { "key \(number % keys)" }

  /// Writes numbers up to the last one, and prints each: under one key after the other, and each tenth under two keys
  /// in one transaction.
  ///
  /// A writer that is started again continues the numbers.
  static func write(to store: GlobalData, last: Int, keys: Int) async throws {
    var number = 0
    for key in 0..<keys { number = max(number, try store.object(Stamp.self, forKey: "key \(key)")?.number ?? 0) }
    while number < last {
      number += 1
      try say("TRY \(number)")
      let stamp = Stamp(number: number, time: now)
      if number % 10 == 0 {
        try await store.update { data in
          try data.set(stamp, forKey: key(of: stamp.number, among: keys))
          try data.set(stamp, forKey: key(of: stamp.number + 1, among: keys))
        }
      } else {
        try await store.set(stamp, forKey: key(of: number, among: keys))
      }
      try say("ACK \(number) \(now - stamp.time)")
    }
  }

  /// Prints each change until a number and the last value of each key have arrived: its origin, and for each key the
  /// old value, the new value, and the time since its write began. Before, in between and afterward, prints the open
  /// descriptors.
  static func watch(_ url: URL, _ configuration: GlobalData.Configuration, last: Int) async throws {
    // Descriptors that the runtime opens once for any watch do not belong to the store.
    try await withWatchedStore(at: url, configuration) { _, _ in }
    await waitForEndOfWatch()
    try say("DESCRIPTORS \(descriptors())")
    try await withWatchedStore(at: url, configuration) { store, changes in
      try await store.refresh()  // After the beginning of the watch, which also waits for its turn.
      try say("READY \(descriptors())")
      var reported: [String: Int] = [:]
      for await change in changes {
        let received = now
        var line = "CHANGE \(change.origin)"
        for key in change.keys.sorted() {
          let old = try change.oldValue(Stamp.self, forKey: key)?.number ?? 0
          let new = try store.object(Stamp.self, forKey: key)
          reported[key] = new?.number
          line += " \(key.dropFirst(4)) \(old) \(new?.number ?? 0) \(new.map { Int(received) - Int($0.time) } ?? 0)"
        }
        try say(line)
        // A value may be newer than the change that announced it, so more changes may wait when the last number is
        // there.
        if reported.values.contains(last),
          try store.allKeys.allSatisfy({ try number(of: $0, in: store) == reported[$0] })
        {
          break
        }
      }
    }
    await waitForEndOfWatch()
    try say("DESCRIPTORS \(descriptors())")
  }

  private static func number(of key: String, in store: GlobalData) throws -> Int? {
    try store.object(Stamp.self, forKey: key)?.number
  }

  private static func withWatchedStore(
    at url: URL, _ configuration: GlobalData.Configuration,
    _ body: (GlobalData, AsyncStream<GlobalData.Change>) async throws -> Void
  ) async throws {
    let store = GlobalData(at: url, configuration: configuration)
    try await store.open()
    try await body(store, store.changes)
    try await store.close()
  }

  /// The system's queue closes the watch's descriptor a moment after the store has released it.
  private static func waitForEndOfWatch() async {
    let deadline = ContinuousClock.now + .seconds(60)
    while descriptors().contains("inotify"), ContinuousClock.now < deadline { await Task.yield() }
  }

  /// The target of each descriptor, if the system reports it.
  private static func descriptors() -> String {
    let folder = "/proc/self/fd"
    guard FileManager.default.fileExists(atPath: folder) else { return "" }
    var links: [String] = []
    for number in 0..<64 {
      var link = [CChar](repeating: 0, count: 1024)
      let count = readlink("\(folder)/\(number)", &link, link.count - 1)
      if count > 0 { links.append(String(decoding: link.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)) }
    }
    return links.joined(separator: " ")
  }
}
