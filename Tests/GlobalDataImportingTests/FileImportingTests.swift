import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing
import ThrownErrors

/// `importFile` recognizes the format by the bytes.
@Suite struct FileImportingTests {
  @TemporaryFolder private var folder

  @Test(arguments: [
    #"{"name": "Ada"}"#, " \n{\"name\": \"Ada\"}",
    "<plist><dict><key>name</key><string>Ada</string></dict></plist>",
    "\u{feff}<?xml version=\"1.0\"?><plist><dict><key>name</key><string>Ada</string></dict></plist>",
    """
    <plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
    <key>$top</key><dict><key>name</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
    <key>$objects</key><array><string>$null</string><string>Ada</string></array></dict></plist>
    """,
  ])
  func eachFormIsRecognized(_ text: String) async throws {
    let url = folder.appendingPathComponent("input")
    try Data(text.utf8).write(to: url)
    let store = GlobalData.inMemory()
    let report = try await store.importFile(at: url)
    #expect(report.importedKeys == ["name"])
    #expect(try store.object(String.self, forKey: "name") == "Ada")
    try await GlobalData.withStore(GlobalData.inMemory()) {
      try await GlobalData.importFile(at: url, skipping: .existing)
      #expect(try GlobalData.object(String.self, forKey: "name") == "Ada")
    }
  }

  @Test func anArchiveOfThisLibraryIsRefusedWithWhatToDoInstead() async throws {
    let url = folder.appendingPathComponent("input")
    try await GlobalData(at: url).set("Ada", forKey: "name")
    let store = GlobalData.inMemory()
    let imports: [() async throws -> ImportReport] = [
      { try await store.importFile(at: url) }, { try await store.importJSON(at: url) },
      { try await store.importPropertyList(at: url) }, { try await store.importKeyedArchive(Data(contentsOf: url)) },
    ]
    for run in imports {
      let error = try await requireError(GlobalDataError.self) { _ = try await run() }
      #expect(
        error.message.hasSuffix("it is an archive of GlobalData") && error.advice.contains("restore"), "\(error)")
    }
  }

  @Test(arguments: [
    "SQLite format 3\0", "// !$*UTF8*$!\n{}", "(1, 2)", "bplist10", "a,b\n1,2", "/* Title */\n\"a\" = \"b\";",
  ])
  func aFileInAnotherFormatIsNotCalledInvalidJSON(_ text: String) async throws {
    let url = folder.appendingPathComponent("input")
    try Data(text.utf8).write(to: url)
    let error = try await requireError(GlobalDataError.self) { try await GlobalData.inMemory().importFile(at: url) }
    #expect(error.message.hasSuffix("it is neither JSON nor a binary or XML property list"), "\(error)")
    #expect(error.advice.contains("plutil -convert xml1"), "\(error)")
  }

  @Test func anEmptyReportNamesNoKeys() async throws {
    #expect(try await GlobalData.inMemory().importJSON(Data("{}".utf8)).description == "imported 0 entries")
  }

  @Test(arguments: [String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian])
  func eachFormIsRecognizedInEachEncoding(encoding: String.Encoding) async throws {
    let texts = [#"{"name": "Ada"}"#, "<plist><dict><key>name</key><string>Ada</string></dict></plist>"]
    for text in texts.flatMap({ [$0, "\u{feff}" + $0] }) {
      try await withTemporaryDirectory { folder in
        let url = folder.appendingPathComponent("input")
        try #require(text.data(using: encoding)).write(to: url)
        let store = ArchiveFixtures.store()
        try await store.importFile(at: url)
        #expect(try store.object(String.self, forKey: "name") == "Ada")
      }
    }
  }
}
