import Foundation
import TestSupport
import Testing

/// Files of `NSKeyedArchiver` and property lists, shown without a store.
@Suite(.enabled(if: ChildProcess.isPossible)) struct OldFilesTests {
  private let bench = ToolBench()

  /// An archive with a note of an app's class, which refers to itself, and an unreadable value.
  private static let archive = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>$archiver</key><string>NSKeyedArchiver</string>
    <key>$version</key><integer>100000</integer>
    <key>$top</key><dict>
    <key>note</key><dict><key>CF$UID</key><integer>2</integer></dict>
    <key>lost</key><dict><key>CF$UID</key><integer>9</integer></dict>
    </dict>
    <key>$objects</key><array><string>$null</string>
    <dict><key>$classname</key><string>Notes.Note</string></dict>
    <dict><key>$class</key><dict><key>CF$UID</key><integer>1</integer></dict>
    <key>_text</key><string>milk</string><key>_next</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>
    </array></dict></plist>
    """

  @Test func archivesOfAnAppAreShown() async throws {
    let file = try bench.write(Self.archive, to: "notes.archiver")
    let value = try await bench.tool("get", "--diagnostic", file, "note")
    #expect(value.status == 0)
    #expect(value.output == "27([\"Note\", {\"_text\": \"milk\", \"_next\": null}])\n")
    let list = try await bench.tool("list", file)
    #expect(list.output.contains("note  Note"))
    #expect(list.errors.contains("skipped lost: ") && list.errors.contains("refers to object 9"))
    #expect(try await bench.tool("export", file).output.contains("\"_text\": \"milk\""))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) == ["notes.archiver"])
  }

  @Test(arguments: [String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian, .utf32LittleEndian])
  func aPropertyListIsShownInEverySupportedEncoding(encoding: String.Encoding) async throws {
    let list = String(repeating: " ", count: 100) + "<plist><dict><key>name</key><string>Ada</string></dict></plist>"
    for text in [list, "\u{feff}" + list] {
      try #require(text.data(using: encoding)).write(to: bench.file)
      #expect(try await bench.tool("get", bench.file.path, "name").output == "\"Ada\"\n")
    }
  }

  @Test func aLinkToALongPropertyListIsShownWhole() async throws {
    let comment = String(repeating: "a", count: 17 << 20)
    let path = try bench.write("<plist><!-- \(comment) --><string>text</string></plist>", to: "list")
    let link = bench.url("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let shown = try await bench.tool("get", link, "root")
    #expect(shown.status == 0 && shown.output == "\"text\"\n", "\(shown.errors)")
  }

  @Test func referencesBeyondTheLimitAreReadOnRequest() async throws {
    let keys = (0..<340).map { "<key>a\($0)</key><dict><key>CF$UID</key><integer>1</integer></dict>" }
    let text = String(repeating: "a", count: 1 << 18)
    let path = try bench.write(
      """
      <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer>100000</integer><key>$top</key><dict>\(keys.joined())</dict>
      <key>$objects</key><array><string>$null</string><string>\(text)</string></array></dict></plist>
      """, to: "shared")
    let refused = try await bench.tool("get", path, "a339")
    #expect(refused.status == 3 && refused.errors.hasSuffix("use --unlimited to read the file anyway\n"))
    let shown = try await bench.tool("get", "--unlimited", path, "a339")
    #expect(shown.status == 0 && shown.output.utf8.count == text.utf8.count + 3)
  }

  @Test(arguments: [["list"], ["get", "key"], ["export"], ["diff"]])
  func aFolderIsAnErrorAndNotACrash(_ words: [String]) async throws {
    let more = words[0] == "diff" ? [bench.folder.path] : Array(words.dropFirst())
    let outcome = try await bench.run([words[0], bench.folder.path] + more)
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("not a file"))
  }

  @Test func aPipeIsAnErrorWithoutWaiting() async throws {
    let path = bench.url("pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    let outcome = try await bench.tool("list", path)
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("not a file"))
  }

  @Test func anUnreadableValueIsAnErrorAndAMissingOneIsNot() async throws {
    let file = try bench.write(Self.archive, to: "notes.archiver")
    let unreadable = try await bench.tool("get", file, "lost")
    #expect(unreadable.status == 3 && unreadable.output.isEmpty)
    #expect(unreadable.errors.contains("refers to object 9"))
    #expect(try await bench.tool("get", file, "nothing").status == 1)
  }

  @Test func objectsOfUnknownClassesAreImportedAsTrees() async throws {
    let input = try bench.write(Self.archive, to: "notes.archiver")
    let refused = try await bench.tool("import", bench.file.path, input)
    #expect(refused.status == 3 && refused.errors.contains("refers to object 9"))
    let outcome = try await bench.tool("import", "--skip-unreadable", bench.file.path, input)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("1 value of reference back to Notes.Note became null"))
    #expect(outcome.errors.contains("1 value of Notes.Note became ArchiveValue"))
    #expect(
      try await bench.tool("get", "--diagnostic", bench.file.path, "note").output
        == "27([\"Note\", {\"_text\": \"milk\", \"_next\": null}])\n")
  }

  @Test func aDeeplyNestedPropertyListIsShownOnRequest() async throws {
    let arrays = String(repeating: "<array>", count: 300) + String(repeating: "</array>", count: 300)
    let path = try bench.write("<plist><dict><key>deep</key>\(arrays)</dict></plist>", to: "deep.plist")
    let refused = try await bench.tool("get", path, "deep")
    #expect(refused.status == 3 && refused.errors.contains("nested more than 256 levels deep"), "\(refused)")
    let shown = try await bench.tool("get", "--unlimited", "--diagnostic", path, "deep")
    #expect(shown.output == arrays.replacing("<array>", with: "[").replacing("</array>", with: "]") + "\n")
  }

  @Test func twoPropertyListsAreComparedAndOneWithAStore() async throws {
    func list(_ volume: Int) -> String {
      "<plist><dict><key>volume</key><integer>\(volume)</integer><key>name</key><string>Ada</string></dict></plist>"
    }
    let (old, new) = (try bench.write(list(1), to: "old.plist"), try bench.write(list(2), to: "new.plist"))
    let difference = try await bench.tool("diff", old, new)
    #expect(difference.status == 1 && difference.output == "~ volume  Int 1 -> Int 2\n")
    #expect(try await bench.tool("import", bench.file.path, new).status == 0)
    #expect(try await bench.tool("diff", new, bench.file.path).status == 0)
  }

  @Test func anOldFileIsNotWrittenTo() async throws {
    let file = try bench.write(Self.archive, to: "notes.archiver")
    for arguments in [["set", file, "note", "1"], ["remove", file, "note"], ["repair", file]] {
      let outcome = try await bench.run(arguments)
      #expect(outcome.status != 0 && !outcome.errors.isEmpty, "\(arguments[0])")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.archive)
  }
}
