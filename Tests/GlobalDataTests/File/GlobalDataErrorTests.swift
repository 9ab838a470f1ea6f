import Foundation
import KeyedArchive
import Testing

@testable import GlobalData

struct GlobalDataErrorTests {
  private let url = URL(fileURLWithPath: "/data/store")

  @Test func aDescriptionSaysWhatFailedWhereAndWhatToDo() {
    let error = GlobalDataError.cannot(.write, SystemCallError(.fsync, ENOSPC), url)
    #expect(
      "\(error)"
        == "writeFailed: could not write /data/store (fsync: No space left on device, errno \(ENOSPC)). "
        + "The store and its file are unchanged. Free some space on the disk, then write again."
    )
  }

  @Test func theAdviceOfAFailedRemovalDoesNotSayThatTheValuesAreThere() {
    let error = GlobalDataError.cannot(.removeLeftovers, SystemCallError(.unlinkat, ENOSPC), url)
    #expect(error.code == .removeFailed)
    #expect(error.advice == "Free some space on the disk, then try again.")
  }

  @Test func theAdviceAboutAPermissionIncludesTheLockFile() {
    // Only those who may write the store's file may open its lock file, and the folder may allow more.
    let error = GlobalDataError.cannot(.lock, SystemCallError(.create, EACCES), url)
    #expect(
      error.advice
        == "Give this process permission to write to the file's folder and the store's files in it, then try again.")
  }

  @Test func noAdviceCallsABackupTheStore() {
    let errors = [
      GlobalDataError.cannot(.write, SystemCallError(.create, EROFS), url), .notIntact(.foreign, url),
    ]
    for error in errors { #expect(error.advice.contains("another path") && !error.advice.contains("for the store")) }
  }

  @Test func aDescriptionContainsEverythingKnown() {
    enum Key: String, CodingKey { case owner, name }
    struct Index: CodingKey {
      var intValue: Int? { 3 }
      var stringValue: String { "Index 3" }
      init() {}
      init?(intValue: Int) { nil }
      init?(stringValue: String) { nil }
    }
    let error = GlobalDataError(
      .typeMismatch,
      "a value is of another type",
      advice: "Think.",
      fileURL: url,
      key: "car",
      codingPath: [Key.owner, Index(), Key.name],
      storedType: "text",
      wantedType: "Int",
      underlyingError: SystemCallError(.read, EIO)
    )
    let text = "\(error)"
    #expect(text.hasPrefix("typeMismatch: a value is of another type (key \"car\"; at owner[3].name; stored: text; "))
    #expect(text.contains("expected: Int; file /data/store; cause: "))
    #expect(text.hasSuffix("). Think."))
  }

  @Test func aCauseIsNotRepeatedInTheMessage() {
    let error = GlobalDataError(.notAFile, "/data/store is a folder", fileURL: url)
    #expect("\(error)" == "notAFile: /data/store is a folder. Use the path of a regular file.")
  }

  @Test func localizedTextsHaveMessageReasonAndAdvice() {
    let error: any LocalizedError = GlobalDataError.cannot(.read, SystemCallError(.read, EACCES), url)
    #expect(error.errorDescription == "Could not read /data/store: Permission denied.")
    #expect(error.failureReason == "Permission denied")
    #expect(error.recoverySuggestion?.hasPrefix("Nothing was overwritten.") == true)
    #expect((error as any Error).localizedDescription == "Could not read /data/store: Permission denied.")
  }

  @Test func aFailedFolderSyncIsReportedWithTheOperation() {
    let error = GlobalDataError.cannot(.syncFolder(after: "replaced"), SystemCallError(.read, EIO), url)
    #expect(error.message == "/data/store was replaced, but its folder could not be synced to the disk")
    // Repeating the change itself could make it twice, such as an update that counts.
    #expect(error.advice.hasPrefix("The change was made. Write to the file again, even the same value, to make sure"))
  }

  @Test func damageIsReportedWithKeyAndPosition() {
    let damage = ArchiveDamage(.entryChecksum, key: "car", at: 53)
    let error = GlobalDataError.damaged([damage, ArchiveDamage(.truncated, at: 90)], url)
    #expect(error.code == .damaged)
    #expect(error.key == "car")
    #expect(
      error.message
        == "/data/store is damaged: the checksum of the entry \"car\" does not match, at byte 53 (and 1 more problem)"
    )
  }

  @Test func formatsAreDistinguished() {
    #expect(GlobalDataError.notIntact(.foreign, url).code == .foreignFormat)
    let newer = GlobalDataError.notIntact(.newer(version: 7, nil), url)
    #expect(newer.code == .newerFormat)
    #expect(newer.message.contains("version 7"))
    let empty = GlobalDataError.notIntact(.unreadable(ArchiveDamage(.empty, at: 0)), url)
    #expect(empty.code == .damaged)
    #expect(empty.message.hasSuffix("it is empty, at byte 0"))
  }

  @Test func codesAreDescribedByName() {
    let codes: [GlobalDataError.Code] = [
      .invalidKey, .encodingFailed, .decodingFailed, .typeMismatch, .unregisteredType, .locked, .damaged,
      .foreignFormat, .newerFormat, .notAFile, .danglingLink, .fileTooLarge, .readFailed, .writeFailed,
      .durabilityUnknown, .removeFailed, .newerVersion, .migrationFailed, .alreadyInUse,
    ]
    #expect(Set(codes).count == codes.count)
    #expect("\(GlobalDataError.Code.durabilityUnknown)" == "durabilityUnknown")
    for code in codes {
      #expect(code.advice.hasSuffix("."))
      #expect(GlobalDataError(code, "x").advice == code.advice)
    }
  }
}
