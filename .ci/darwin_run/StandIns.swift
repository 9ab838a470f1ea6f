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
let EEXIST: Int32 = 17
let ENODEV: Int32 = 19
let EINVAL: Int32 = 22
let ENOTTY: Int32 = 25
let ENOSPC: Int32 = 28
let ENOTSUP: Int32 = 45
let EDQUOT: Int32 = 69
let ENOSYS: Int32 = 78
let EOPNOTSUPP: Int32 = 102

let AT_FDCWD: Int32 = -2
let O_EXCL: Int32 = 0x800
let PATH_MAX: Int32 = 1024
let RENAME_EXCL: Int32 = 4
let FD_CLOEXEC: Int32 = 1

let F_SETFD: Int32 = 2
let F_GETPATH: Int32 = 50
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

/// Gives the path `/folder` if the call is to succeed.
func fcntl(_ descriptor: Int32, _ command: Int32, _ buffer: UnsafeMutableRawPointer) -> Int32 {
  buffer.copyMemory(from: "/folder", byteCount: 8)
  return Int32(transcript.answer("fcntl(\(descriptor), \(name(ofCommand: command)))"))
}

private func name(ofCommand command: Int32) -> String {
  switch command {
  case F_SETFD: "SETFD"
  case F_GETPATH: "PATH"
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

func openat(_ folder: Int32, _ name: UnsafePointer<CChar>, _ flags: Int32, _ mode: Int) -> Int32 {
  Int32(transcript.answer("openat(\(folder), \(String(cString: name)), \(flags), \(String(mode, radix: 8)))"))
}

func mkstemp_dprotected_np(_ path: UnsafeMutablePointer<CChar>, _ number: Int32, _ flags: Int32) -> Int32 {
  Int32(transcript.answer("mkstemp(\(String(cString: path)), \(number), \(flags))"))
}

func renameatx_np(
  _ folder: Int32, _ path: UnsafePointer<CChar>, _ newFolder: Int32, _ name: UnsafePointer<CChar>, _ flags: UInt32
) -> Int32 {
  let names = "\(folder), \(String(cString: path)), \(newFolder), \(String(cString: name))"
  return Int32(transcript.answer("renameatx(\(names), \(flags))"))
}

func strlcat(_ text: UnsafeMutablePointer<CChar>, _ suffix: UnsafePointer<CChar>, _ size: Int) {
  var end = 0
  while text[end] != 0 { end += 1 }
  for offset in 0... {
    text[end + offset] = suffix[offset]
    if suffix[offset] == 0 { return }
  }
}

func unlink(_ path: UnsafePointer<CChar>) { _ = transcript.answer("unlink(\(String(cString: path)))") }

func close(_ descriptor: Int32) { _ = transcript.answer("close(\(descriptor))") }
