import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// The promises of the real calls beyond their names.
struct POSIXSystemCallsTests {
  private let system = POSIXSystemCalls()

  private func withFolder(_ body: (URL, FileDescriptor) throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let descriptor = try system.openDirectory(folder.path, forListing: true)
      defer { system.closeUnwritten(descriptor) }
      try body(folder, descriptor)
    }
  }

  @Test func anItemWithATemporaryNameIsNotWritten() async throws {
    try await withFolder { folder, descriptor in
      try Data("target".utf8).write(to: folder.file("target"))
      try folder.file("planted").makeLink(to: "target")
      #expect(throws: SystemCallError(.create, EEXIST)) { try system.create("planted", in: descriptor) }
      #expect(throws: SystemCallError(.create, EEXIST)) { try system.create("target", in: descriptor) }
      #expect(try String(contentsOf: folder.file("target"), encoding: .utf8) == "target")
    }
  }

  @Test func aLinkIsNotOpened() async throws {
    try await withFolder { folder, descriptor in
      try Data().write(to: folder.file("target"))
      try folder.file("link").makeLink(to: "target")
      #expect(throws: SystemCallError(.openat, ELOOP)) {
        try system.openExisting("link", in: descriptor, isForUpdating: false)
      }
      #expect(try system.status(of: "link", in: descriptor, withTime: false).kind == .link)
    }
  }

  #if os(Linux)
  private static let mayProtectFiles =
    FileManager.default.contents(atPath: "/proc/sys/fs/protected_regular")?.first.map { $0 != UInt8(ascii: "0") }
    ?? false

  /// In such a folder, the system may refuse `O_CREAT` for a file of another user that exists, even to root.
  @Test(.enabled(if: geteuid() == 0 && mayProtectFiles, "needs root, and the usual setting of fs.protected_regular"))
  func theLockOfAnotherUserIsOpenedInAFolderLikeTmp() async throws {
    try await withFolder { folder, descriptor in
      try folder.setPermissions(0o1777)
      try Data().write(to: folder.file("lock"))
      try #require(chown(folder.file("lock").path, 12_345, 12_345) == 0)
      #expect(throws: SystemCallError(.create, EACCES)) {
        let descriptor = open(folder.file("lock").path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemCallError(.create, errno) }
      }
      try system.close(try system.openLock("lock", in: descriptor))
    }
  }
  #endif

  /// Otherwise, a child process would keep files, and locks, in use.
  @Test func noDescriptorIsInheritedByOtherPrograms() async throws {
    try await withFolder { folder, descriptor in
      let searched = try system.openDirectory(folder.path, forListing: false)
      let created = try system.create("new", in: descriptor)
      let opened = try system.openExisting("new", in: searched, isForUpdating: false)
      for descriptor in [descriptor, searched, created, opened] {
        #expect(fcntl(descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
      }
      for descriptor in [searched, created, opened] { try system.close(descriptor) }
    }
  }

  @Test func aFolderCanBeListedMoreThanOnce() async throws {
    try await withFolder { folder, descriptor in
      for name in ["a", "b"] { try Data().write(to: folder.file(name)) }
      for _ in 0..<3 { #expect(try Set(system.names(in: descriptor)).isSuperset(of: ["a", "b"])) }
    }
  }

  @Test func statusReportsTheKindOfAFile() async throws {
    try await withFolder { folder, descriptor in
      try Data(count: 77).write(to: folder.file("file"))
      try folder.file("file").setPermissions(0o640)
      try FileManager.default.linkItem(at: folder.file("file"), to: folder.file("second"))
      try folder.file("pipe").makePipe()
      for withTime in [true, false] {
        let status = try system.status(of: "file", in: descriptor, withTime: withTime)
        #expect(status.kind == .regular)
        #expect(status.size == 77)
        #expect(status.permissions == 0o640)
        #expect(status.linkCount == 2)
        #expect(try system.status(of: "second", in: descriptor, withTime: withTime) == status)
        #expect(try system.status(of: "pipe", in: descriptor, withTime: withTime).kind == .pipe)
        #expect(throws: SystemCallError(.fstatat, ENOENT)) {
          try system.status(of: "none", in: descriptor, withTime: withTime)
        }
      }
      #expect(try system.status(ofPath: folder.path).kind == .folder)
      #expect(try system.status(ofPath: "/dev/null").kind == .other)
    }
  }

  @Test(arguments: ["file", ".", "/dev/null"]) func aStatusWithoutItsTimeIsOtherwiseEqual(_ name: String) async throws {
    try await withFolder { folder, descriptor in
      try Data(count: 77).write(to: folder.file("file"))
      var complete = try system.status(of: name, in: descriptor, withTime: true)
      let modified = try #require(complete.modified)
      #expect(name.hasPrefix("/") || abs(Double(modified.seconds) - Date().timeIntervalSince1970) < 1000)
      complete.modified = nil
      #expect(try system.status(of: name, in: descriptor, withTime: false) == complete)
      let opened = try system.openExisting(name, in: descriptor, isForUpdating: false)
      #expect(try system.status(of: opened, withTime: false) == complete)
      #expect(try system.status(of: opened, withTime: true).modified == modified)
      try system.close(opened)
    }
  }
}
