import Foundation
import GlobalData
import TestSupport
import Testing

/// `importFile`: the form is told by the bytes.
@Suite struct FileImportingTests {
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
    try await withTemporaryDirectory { folder in
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
  }
}
