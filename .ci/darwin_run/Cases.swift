// What the functions of DarwinCalls.swift must ask the system for, and what they must make of its answers.

/// Errors about data that is not on the disk, or of a call that must be made again: no other call may hide them.
private let grave = [EIO, ENOSPC, EDQUOT, EINTR, EBADF]
/// What file systems say that do not have a command.
private let unsupported = [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY, ENOSYS, ENODEV, EPERM]

@main
struct Cases {
  private var count = 0
  private var failures = 0

  static func main() {
    var cases = Cases()
    cases.syncing()
    cases.copyingAttributes()
    cases.comparingNames()
    cases.protecting()
    cases.creating()
    // The script that runs this reads the number: without a C library there is no exit status.
    print("\(cases.count) cases, \(cases.failures) of them failed")
  }

  /// Runs a function that must make certain calls, whose answers are given, and no others.
  private mutating func check<Result: Equatable>(
    _ title: String, _ calls: [(call: String, answer: Answer)], gives expected: Result, error: Int32? = nil,
    _ body: () -> Result
  ) {
    count += 1
    errno = meaningless
    transcript = Transcript(expected: calls)
    let result = body()
    var problems = transcript.problems + transcript.expected.map { "\($0.call) was not called" }
    if result != expected { problems.append("the answer is \(result), and not \(expected)") }
    if let error, errno != error { problems.append("errno is \(errno), and not \(error)") }
    guard !problems.isEmpty else { return }
    failures += 1
    print("FAILED: \(title):", problems.joined(separator: "; "))
  }

  private mutating func syncing() {
    func sync(_ strength: SyncStrength) -> () -> Int32 { { PlatformCalls.sync(7, strength) } }
    let (barrier, full, plain) = ("fcntl(7, BARRIER)", "fcntl(7, FULL)", "fsync(7)")
    check("a barrier is enough", [(barrier, .number(0))], gives: 0, sync(.barrier))
    for strength in [SyncStrength.flush, .data] {
      check("\(strength) goes through the drive's cache", [(full, .number(0))], gives: 0, sync(strength))
    }
    for error in unsupported {
      check(
        "the full flush in place of a barrier, after error \(error)", [(barrier, .error(error)), (full, .number(0))],
        gives: 0, sync(.barrier))
      check(
        "fsync where there is neither, after error \(error)",
        [(barrier, .error(error)), (full, .error(error)), (plain, .number(0))], gives: 0, sync(.barrier))
      for strength in [SyncStrength.flush, .data] {
        check(
          "fsync where there is no flush, after error \(error)", [(full, .error(error)), (plain, .number(0))], gives: 0,
          sync(strength))
      }
    }
    for error in grave {
      check("a barrier's error \(error)", [(barrier, .error(error))], gives: -1, error: error, sync(.barrier))
      check("a flush's error \(error)", [(full, .error(error))], gives: -1, error: error, sync(.flush))
      check("error \(error) of a flush of data", [(full, .error(error))], gives: -1, error: error, sync(.data))
      check(
        "error \(error) of the flush in place of a barrier", [(barrier, .error(ENOTSUP)), (full, .error(error))],
        gives: -1, error: error, sync(.barrier))
      check(
        "error \(error) of fsync", [(full, .error(ENOTSUP)), (plain, .error(error))], gives: -1, error: error,
        sync(.flush))
    }
  }

  private mutating func copyingAttributes() {
    let (list, attributes) = ("fcopyfile(3, 4, \(COPYFILE_ACL))", "fcopyfile(3, 4, \(COPYFILE_XATTR))")
    func copy() -> Int32 { PlatformCalls.copyAttributes(from: 3, to: 4) }
    check("both are copied", [(list, .number(0)), (attributes, .number(0))], gives: 0, copy)
    for error in grave + unsupported {
      check(
        "attributes are copied after error \(error) of the list", [(list, .error(error)), (attributes, .number(0))],
        gives: -1, error: error, copy)
      check(
        "error \(error) of the attributes", [(list, .number(0)), (attributes, .error(error))], gives: -1, error: error,
        copy)
    }
    check("both fail", [(list, .error(EPERM)), (attributes, .error(EIO))], gives: -1, error: EIO, copy)
  }

  private mutating func comparingNames() {
    func compare() -> NameComparison { PlatformCalls.nameComparison(atPath: "/a/b") }
    let call = "pathconf(/a/b, \(_PC_CASE_SENSITIVE))"
    check("case does not count", [(call, .number(0))], gives: .caseless, compare)
    check("case counts", [(call, .number(1))], gives: .normalized, compare)
    for error in [EINVAL, EACCES, ENOTSUP] {
      check("a volume that answers with error \(error)", [(call, .error(error))], gives: .normalized, compare)
    }
  }

  #if !os(macOS) && !targetEnvironment(macCatalyst) && !targetEnvironment(simulator)

  private mutating func protecting() {
    let classes: [(GlobalData.FileProtection, Int)] = [
      (.complete, 1), (.completeUnlessOpen, 2), (.completeUntilFirstUserAuthentication, 3), (.unprotected, 4),
    ]
    func protect(_ wanted: GlobalData.FileProtection?, like earlier: Int32? = nil) -> () -> Int32 {
      { PlatformCalls.protect(7, wanted, like: earlier) }
    }
    func set(_ number: Int) -> String { "fcntl(7, SET, \(number))" }
    for (wanted, number) in classes {
      check("the class that was asked for", [(set(number), .number(0))], gives: 0, protect(wanted))
      check("the same whatever the earlier file has", [(set(number), .number(0))], gives: 0, protect(wanted, like: 6))
      check(
        "the earlier file's", [("fcntl(6, GET)", .number(number)), (set(number), .number(0))], gives: 0,
        protect(nil, like: 6))
      for error in unsupported where error == ENOTSUP || error == EINVAL || error == ENOTTY {
        check("a volume without classes, error \(error)", [(set(number), .error(error))], gives: 0, protect(wanted))
      }
      for error in [EPERM, EACCES, EIO, EINTR] {
        check(
          "error \(error), and a class requested", [(set(number), .error(error))], gives: -1, error: error,
          protect(wanted))
      }
    }
    check("the default", [(set(3), .number(0))], gives: 0, protect(nil))
    check("no earlier class", [("fcntl(6, GET)", .number(0)), (set(3), .number(0))], gives: 0, protect(nil, like: 6))
    for error in unsupported + grave {
      check(
        "an earlier class that is not known", [("fcntl(6, GET)", .error(error)), (set(3), .number(0))], gives: 0,
        protect(nil, like: 6))
      if error == EINTR {
        check("an interruption", [(set(3), .error(error))], gives: -1, error: error, protect(nil))
      } else {
        check("error \(error), and no class requested", [(set(3), .error(error))], gives: 0, protect(nil))
      }
    }
  }

  private mutating func creating() {
    let (open, path) = ("openat(5, new, 2048, 600)", "fcntl(5, PATH)")
    let (make, setFlag) = ("mkstemp(/folder/.as-XXXXXX, 3, 0)", "fcntl(9, SETFD, 1)")
    let rename = "renameatx(-2, /folder/.as-XXXXXX, 5, new, 4)"
    let undo: [(call: String, answer: Answer)] = [
      ("unlink(/folder/.as-XXXXXX)", .number(0)), ("close(9)", .number(0)),
    ]
    func create() -> Int32 { PlatformCalls.create("new", in: 5, O_EXCL) }
    check("a new file", [(open, .number(8))], gives: 8, create)
    for error in [EACCES, EEXIST, ENOSPC, EIO] {
      check("error \(error) of a new file", [(open, .error(error))], gives: -1, error: error, create)
    }
    let denied: [(call: String, answer: Answer)] = [(open, .error(EPERM))]
    check(
      "a new file while the device is locked",
      denied + [(path, .number(0)), (make, .number(9)), (setFlag, .number(0)), (rename, .number(0))], gives: 9, create)
    check(
      "a folder in which nothing can be created", denied + [(path, .number(0)), (make, .error(EPERM))], gives: -1,
      error: EPERM, create)
    check("a folder without a path", denied + [(path, .error(EACCES))], gives: -1, error: EACCES, create)
    let made: [(call: String, answer: Answer)] = denied + [(path, .number(0)), (make, .number(9))]
    check(
      "a file that cannot be kept from children", made + [(setFlag, .error(EBADF))] + undo, gives: -1, error: EBADF,
      create)
    let taken = made + [(setFlag, .number(0)), (rename, .error(EEXIST))] + undo
    check("a name that is taken", taken, gives: -1, error: EEXIST, create)
    check(
      "a lock that another process has created in the meantime",
      [("openat(5, new, 0, 600)", .error(EPERM))] + taken.dropFirst() + [("openat(5, new, 0, 600)", .number(8))],
      gives: 8
    ) { PlatformCalls.create("new", in: 5, 0) }
  }

  #else

  private mutating func creating() {
    for error in [EPERM, EACCES] {
      check("a computer creates in one way", [("openat(5, new, 2048, 600)", .error(error))], gives: -1, error: error) {
        PlatformCalls.create("new", in: 5, O_EXCL)
      }
    }
  }

  private mutating func protecting() {
    for wanted in [GlobalData.FileProtection?.none, .complete, .completeUnlessOpen, .unprotected] {
      for earlier in [Int32?.none, 6] {
        check("a computer has no classes", [], gives: 0) { PlatformCalls.protect(7, wanted, like: earlier) }
      }
    }
  }

  #endif
}
