import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// The attributes that a new file takes from the replaced one. Serialized, because the mask of permissions belongs to
/// the process.
@Suite(.serialized)
struct ArchiveFileAttributesTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }
  private let system = FaultySystemCalls()

  private func withMask<R>(_ mask: mode_t, _ body: () throws -> R) rethrows -> R {
    let earlier = umask(mask)
    defer { umask(earlier) }
    return try body()
  }

  @Test(arguments: [0, 0o022, 0o077] as [mode_t])
  func onlyItsOwnerCanAccessANewFile(mask: mode_t) async throws {
    try withMask(mask) { try ArchiveFile(in: folder).replace(with: "new") }
    #expect(try folder.file("store").permissions == 0o600)
  }

  @Test(arguments: [0, 0o022, 0o077] as [mode_t], [0o600, 0o640, 0o644, 0o660, 0o666, 0o400, 0o755])
  func permissionsAreKept(mask: mode_t, permissions: Int) async throws {
    try Data("old".utf8).write(to: folder.file("store"))
    try folder.file("store").setPermissions(permissions)
    try withMask(mask) { try ArchiveFile(in: folder).replace(with: "new") }
    #expect(try folder.file("store").permissions == permissions)
    #expect(try ArchiveFile(in: folder).readText() == "new")
  }

  /// The file is examined before the commit is planned, and its rights may be taken away after that.
  @Test func rightsThatWereJustTakenAwayAreNotGivenAgain() async throws {
    let store = GlobalData(at: url, system: system)
    try await store.set("old", forKey: "a")
    try url.setPermissions(0o644)
    let narrowing = FaultySystemCalls.Fault.interlude { [url] in
      do { try url.setPermissions(0o600) } catch { Issue.record(error) }
    }
    system.fail(.read, nth: 1, narrowing)
    try await store.set("new", forKey: "a")
    #expect(system.faults == 1)
    #expect(try url.permissions == 0o600)
  }

  /// exFAT, for example, gives all files the permissions and the owner that its mount names, and lets only that owner
  /// request others.
  @Test(arguments: [EPERM, EACCES, ENOTSUP, ENOSYS])
  func aNewFileIsWrittenIfTheFileSystemHasNoPermissions(number: Int32) async throws {
    system.fail(.fchmod, .error(number))
    system.giveAllFilesTheSamePermissions(in: folder)
    let file = ArchiveFile(in: folder, system: system)
    let new = try file.replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(new.concessions == [.permissionsNotSet])
    let newer = try file.replace(with: [Data("newer".utf8)], durability: .powerLoss)
    #expect(newer.concessions == [])
    #expect(system.count(of: .fchmod) == 1)
    #expect(try file.readText() == "newer")
    #expect(try folder.names() == ["store"])
  }

  @Test func aFileIsNotReplacedByOneThatMoreUsersCouldAccess() async throws {
    try Data("old".utf8).write(to: folder.file("store"))
    try folder.file("store").setPermissions(0o400)
    system.fail(.fchmod, .error(EPERM))
    expectError(.writeFailed) { try ArchiveFile(in: folder, system: system).replace(with: "new") }
    #expect(try ArchiveFile(in: folder).readText() == "old")
    #expect(try folder.names() == ["store"])
  }

  @Test func aNewFileWhosePermissionsCannotBeSetForAnotherReasonIsNotWritten() async throws {
    system.fail(.fchmod, .error(EIO))
    system.giveAllFilesTheSamePermissions(in: folder)
    expectError(.writeFailed) { try ArchiveFile(in: folder, system: system).replace(with: "new") }
    #expect(try folder.names() == [])
  }

  @Test(.enabled(if: POSIXSystemCalls().isPrivileged, "only root may give files away"))
  func ownerAndGroupAreKept() async throws {
    try Data("old".utf8).write(to: url)
    try #require(chown(url.path, 12_345, 23_456) == 0)
    try url.setPermissions(0o640)
    try ArchiveFile(in: folder).replace(with: "new")
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    #expect(attributes[.ownerAccountID] as? Int == 12_345)
    #expect(attributes[.groupOwnerAccountID] as? Int == 23_456)
    #expect(try url.permissions == 0o640)
  }

  @Test(.enabled(if: POSIXSystemCalls().isPrivileged, "only root may give files away"))
  func theRightsOfALostGroupGoToNoOtherGroup() async throws {
    try Data("old".utf8).write(to: url)
    try #require(chown(url.path, 0, 23_456) == 0)
    try url.setPermissions(0o664)
    system.fail(.fchown, .error(EPERM))
    let result = try ArchiveFile(in: folder, system: system)
      .replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(result.concessions == [.ownerNotKept])
    #expect(try url.permissions == 0o604)
  }

  @Test func lostAttributesCostTheGroupItsRights() async throws {
    try Data("old".utf8).write(to: url)
    try url.setPermissions(0o660)
    system.fail(.copyAttributes, .error(ENOSPC))
    let result = try ArchiveFile(in: folder, system: system)
      .replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(result.concessions == [.attributesNotKept])
    #expect(try url.permissions == 0o600)
  }

  @Test func hardLinksAreReported() async throws {
    try Data("old".utf8).write(to: folder.file("store"))
    try FileManager.default.linkItem(at: folder.file("store"), to: folder.file("second"))
    let result = try ArchiveFile(in: folder).replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(result.concessions == [.otherNamesKeepOldContents])
    #expect(try ArchiveFile(in: folder, "second").readText() == "old")
    #expect(try ArchiveFile(in: folder).readText() == "new")
  }

  @Test func extendedAttributesAreKept() async throws {
    try Data("old".utf8).write(to: url)
    let attributes: [String: [UInt8]] = [
      "user.note": Array("read me".utf8), "user.empty": [], "user.long": Array(repeating: 7, count: 1000),
    ]
    for (name, value) in attributes { try ExtendedAttributes.set(name, value, of: url) }
    try ArchiveFile(in: folder).replace(with: "new")
    for (name, value) in attributes { #expect(ExtendedAttributes.get(name, of: url) == value) }
    #expect(try ArchiveFile(in: folder).readText() == "new")
  }

  @Test func attributesAreKeptOnAFileThatItsOwnerMayNotWrite() async throws {
    try Data("old".utf8).write(to: url)
    try ExtendedAttributes.set("user.note", [1, 2], of: url)
    try url.setPermissions(0o440)
    try ArchiveFile(in: folder).replace(with: "new")
    #expect(ExtendedAttributes.get("user.note", of: url) == [1, 2])
    #expect(try url.permissions == 0o440)
  }

  #if os(Linux)

  /// Read and write for the owner and for user 1000, read for the group, nothing for others; the mask allows all of
  /// this.
  ///
  /// Source: linux/posix_acl_xattr.h.
  private static let accessControlList = [
    [2, 0, 0, 0],  // version
    [0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff],  // the owner
    [0x02, 0, 6, 0, 0xe8, 0x03, 0, 0],  // user 1000
    [0x04, 0, 4, 0, 0xff, 0xff, 0xff, 0xff],  // the group
    [0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff],  // the mask
    [0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],  // others
  ].flatMap { (bytes: [UInt8]) in bytes }

  @Test func accessControlListsAreKept() async throws {
    try Data("old".utf8).write(to: url)
    try ExtendedAttributes.set("system.posix_acl_access", Self.accessControlList, of: url)
    #expect(try url.permissions == 0o660)
    try ArchiveFile(in: folder).replace(with: "new")
    #expect(ExtendedAttributes.get("system.posix_acl_access", of: url) == Self.accessControlList)
    #expect(try url.permissions == 0o660)
  }

  @Test func aLostAccessControlListGrantsNoAccess() async throws {
    try Data("old".utf8).write(to: url)
    try ExtendedAttributes.set("system.posix_acl_access", Self.accessControlList, of: url)
    system.fail(.copyAttributes, .error(EPERM))
    try ArchiveFile(in: folder, system: system).replace(with: "new")
    // The group bits, 6, were those of the mask. The group itself could only read.
    #expect(try url.permissions == 0o600)
  }

  #endif
}

extension FaultySystemCalls {
  /// Gives each temporary file permissions that nobody requested, as a file system without permissions does. A mask
  /// with the same effect belongs to the process: other tests could not use the folders that they create meanwhile.
  fileprivate func giveAllFilesTheSamePermissions(in folder: URL) {
    let interlude = Fault.interlude {
      do {
        for name in try folder.names() { try folder.file(name).setPermissions(0o644) }
      } catch {
        Issue.record(error)
      }
    }
    fail(.flock, interlude)
  }
}
