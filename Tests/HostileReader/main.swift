import Foundation
import KeyedArchive
import TestSupport

// Reads a file in every way on a thread with the smallest stack that programs have, and with little memory:
//
//     hostile-reader FILE [FACTOR [migrating]]
//     hostile-reader mutations SEED COUNT [verbose]
//
// With `mutations`, it creates its own files: changed archives of every standard type, the given number of each.
//
// With `migrating`, it only reads the file as a list whose parts are all migrated: migrations may use a thread with a
// larger stack, which would count for the other ways.
//
// Reading may take 64 MiB and 48 (or FACTOR) times the file's size more than an empty array takes. Later use of a tree,
// for example as text, may take more. It prints the result of each way. A trap, a stack overflow or a refused
// allocation stops it with a signal.

if CommandLine.arguments.dropFirst().first == "mutations" {
  let numbers = CommandLine.arguments.dropFirst(2).compactMap { UInt64($0) }
  let isVerbose = CommandLine.arguments.last == "verbose"
  try readMutations(seed: numbers.first ?? 0, count: Int(numbers.last ?? 1), isVerbose: isVerbose)
  say("done")
  exit(0)
}

let url = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "")
let data = try Data(contentsOf: url)

let factor = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 48

let isMigrating = CommandLine.arguments.dropFirst(3).first == "migrating"

func say(_ line: String) {
  print(line)
  fflush(nil)  // before a crash
}

/// A model that contains itself.
final class Node: Codable, @unchecked Sendable {
  var next: Node?
  var children: [Node]?
  var name: String?
}

/// A list whose parts are all migrated.
final class Link: Archivable {
  let next: Link?
  let isOld: Bool

  static let archiveVersion = 2

  static func migrate(_ object: inout ArchiveObject, from version: Int) throws { object["isOld"] = true }

  /// The number of parts from this one on.
  var length: Int {
    var (length, last) = (1, self)
    while let next = last.next { (length, last) = (length + 1, next) }
    return length
  }
}

func attempt(_ name: String, _ body: () throws -> Void) {
  do {
    try body()
    say("\(name): read")
  } catch {
    say("\(name): \("\(error)".prefix(200))")
  }
}

/// Compares, hashes, prints, encodes and frees a tree on the stack of this thread.
func use(_ data: Data) throws {
  let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
  let copy = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: data)
  guard tree == copy, Set([tree]).contains(copy), !tree.diagnostic.isEmpty, !tree.json().isEmpty,
    !tree.json(isPretty: true).isEmpty
  else { fatalError("the tree differs from itself") }  // not an error, which only means that a file was refused
  _ = try KeyedArchiveEncoder().encode(tree)
}

func readEveryWay(_ data: Data) {
  let decoder = KeyedArchiveDecoder()
  guard !isMigrating else {
    return attempt("Link") { say("\(try decoder.decode(Link.self, from: data).length) links") }
  }
  attempt("tree") { _ = try decoder.decode(ArchiveValue.self, from: data) }
  attempt("dynamic") { _ = try decoder.decode(from: data) }
  attempt("[Int]") { _ = try decoder.decode([Int].self, from: data) }
  attempt("[[[[Int]]]]") { _ = try decoder.decode([[[[Int]]]].self, from: data) }
  attempt("[Data]") { _ = try decoder.decode([Data].self, from: data) }
  attempt("[[UInt8]]") { _ = try decoder.decode([[UInt8]].self, from: data) }
  attempt("[String]") { _ = try decoder.decode([String].self, from: data) }
  attempt("[String: [String]]") { _ = try decoder.decode([String: [String]].self, from: data) }
  attempt("[Set<Int>]") { _ = try decoder.decode([Set<Int>].self, from: data) }
  attempt("[CarInfo]") { _ = try decoder.decode([CarInfo].self, from: data) }
  attempt("Garage") { _ = try decoder.decode(Garage.self, from: data) }
  attempt("[Node]") { _ = try decoder.decode([Node].self, from: data) }
  attempt("Node") { _ = try decoder.decode(Node.self, from: data) }
}

#if os(Linux)
/// A figure of the kernel about this process, in KiB.
func kibibytes(_ name: String) throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
  return Int(line.filter(\.isNumber)) ?? 0
}

func readWithLittleMemory() throws {
  let used = try kibibytes("VmSize:") << 10
  // AddressSanitizer reserves terabytes, which exceed any limit.
  guard used < 1 << 40 else { return readEveryWay(data) }
  let allowed = 64 << 20 + factor * data.count
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
  guard getrlimit(resource, &limit) == 0 else { throw POSIXError(.EINVAL) }
  limit.rlim_cur = rlim_t(used + allowed)
  guard setrlimit(resource, &limit) == 0 else { throw POSIXError(.EINVAL) }
  say("memory: \(used >> 20) + \(allowed >> 20) MiB")
  readEveryWay(data)
  say("peak: \(try kibibytes("VmPeak:") >> 10) MiB")
  limit.rlim_cur = limit.rlim_max
  guard setrlimit(resource, &limit) == 0 else { throw POSIXError(.EINVAL) }
}
#else
func readWithLittleMemory() throws { readEveryWay(data) }
#endif

func work() throws {
  // Memory that every program loads and keeps does not count.
  for warmUp in ["80", "818180", "a1616100", String(repeating: "81", count: 100) + "00"] {
    readEveryWay(Data(hex: warmUp))
  }
  say("file: \(data.count) bytes")
  try readWithLittleMemory()
  if data.count < 1 << 16 { attempt("use") { try use(data) } }
  say("done")
  exit(0)
}

let thread = Thread {
  do { try work() } catch {
    say("\(error)")
    exit(1)
  }
}
thread.stackSize = 512 << 10
thread.start()
// The thread ends the program.
while true { sleep(1000) }
