// The names are C's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Darwin's C library, as far as DarwinCalls.swift uses it: each call is looked up in the case that runs, and recorded.

enum PlatformCalls {}

/// What a call is to answer: a number, or -1 with an error.
enum Answer {
  case number(Int)
  case error(Int32)
}

/// The calls of the case that runs.
struct Transcript {
  /// The calls that are to come, in their order, with their answers.
  var expected: [(call: String, answer: Answer)] = []
  var problems: [String] = []

  mutating func answer(_ call: String) -> Int {
    guard let next = expected.first, next.call == call else {
      problems.append("\(call) was called, and not \(expected.first?.call ?? "nothing")")
      errno = -1
      return -1
    }
    expected.removeFirst()
    switch next.answer {
    case .number(let number):
      errno = meaningless
      return number
    case .error(let number):
      errno = number
      return -1
    }
  }
}

/// What a call that succeeds leaves in `errno`: the library promises nothing.
let meaningless: Int32 = 777

nonisolated(unsafe) var transcript = Transcript()
nonisolated(unsafe) var errno = meaningless

// The numbers are Darwin's.

let EPERM: Int32 = 1
let EINTR: Int32 = 4
let EIO: Int32 = 5
let EBADF: Int32 = 9
let EACCES: Int32 = 13
let ENODEV: Int32 = 19
let EINVAL: Int32 = 22
let ENOTTY: Int32 = 25
let ENOSPC: Int32 = 28
let ENOTSUP: Int32 = 45
let EDQUOT: Int32 = 69
let ENOSYS: Int32 = 78
let EOPNOTSUPP: Int32 = 102

let F_FULLFSYNC: Int32 = 51
let F_GETPROTECTIONCLASS: Int32 = 63
let F_SETPROTECTIONCLASS: Int32 = 64
let F_BARRIERFSYNC: Int32 = 85

let COPYFILE_ACL: Int32 = 1
let COPYFILE_XATTR: Int32 = 4
typealias copyfile_flags_t = UInt32

let _PC_CASE_SENSITIVE: Int32 = 11

func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
  Int32(transcript.answer("fcntl(\(descriptor), \(name(ofCommand: command)))"))
}

func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 {
  Int32(transcript.answer("fcntl(\(descriptor), \(name(ofCommand: command)), \(value))"))
}

private func name(ofCommand command: Int32) -> String {
  switch command {
  case F_FULLFSYNC: "FULL"
  case F_BARRIERFSYNC: "BARRIER"
  case F_GETPROTECTIONCLASS: "GET"
  case F_SETPROTECTIONCLASS: "SET"
  default: "\(command)"
  }
}

func fsync(_ descriptor: Int32) -> Int32 {
  Int32(transcript.answer("fsync(\(descriptor))"))
}

func fcopyfile(_ source: Int32, _ destination: Int32, _ state: OpaquePointer?, _ flags: copyfile_flags_t) -> Int32 {
  Int32(transcript.answer("fcopyfile(\(source), \(destination), \(flags))"))
}

func pathconf(_ path: UnsafePointer<CChar>, _ name: Int32) -> Int {
  transcript.answer("pathconf(\(String(cString: path)), \(name))")
}
