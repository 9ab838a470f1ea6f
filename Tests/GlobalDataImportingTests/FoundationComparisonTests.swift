import Foundation
import GlobalData
import GlobalDataImporting
import TestSupport
import Testing

/// Property lists that Foundation reads are read, with the same values. The exceptions are listed here and in the
/// article Importing.
///
/// On Linux only, because the exceptions are those of one implementation.
#if os(Linux)
@Suite struct FoundationComparisonTests {
  /// Returns whether Foundation ignores damage in the content of an element, or misreads it.
  private static func isException(_ element: String, _ content: String) -> Bool {
    switch element {
    // The import requires valid base64. Foundation skips invalid characters, and returns no bytes for some truncated
    // data.
    case "data": Data(base64Encoded: content.filter { !$0.isWhitespace }) == nil
    // Foundation reads months beyond the 13th and month 0 as January, and wraps years of more than nine digits.
    case "date":
      content.wholeMatch(of: /-?[0-9]+-(00|1[4-9]|[2-9][0-9])-.*/) != nil
        || content.wholeMatch(of: /-?[0-9]{10,}-.*/) != nil
    // The value is missing, and Foundation uses the next key as the value.
    case "key": true
    // In XML, every line break is one line feed. Foundation leaves this to its caller.
    case "string": content.contains("\r\n")
    default: false
    }
  }

  private func foundation(_ data: Data) -> Any? {
    do {
      let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
      return (list as? [String: Any])?["a"]
    } catch {
      return nil
    }
  }

  private func ours(_ data: Data) async -> ArchiveValue? {
    let store = ArchiveFixtures.store()
    do {
      try await store.importPropertyList(data)
      return try store.object(ArchiveValue.self, forKey: "a")
    } catch {
      return nil
    }
  }

  private func isSame(_ value: ArchiveValue, _ other: Any) -> Bool {
    switch value {
    case .null: return other is NSNull
    case .bool(let value): return other as? Bool == value
    case .int(let value): return other as? Int == value
    case .uint(let value), .named("UInt64", _, .uint(let value)): return other as? UInt64 == value
    case .named(_, _, .int(let value)): return (other as? UInt64).flatMap { Int(exactly: $0) } == value
    case .double(let value):
      return (other as? Double)?.bitPattern == value.bitPattern || (value.isNaN && (other as? Double)?.isNaN == true)
    case .string(let value): return other as? String == value
    case .data(let value): return other as? Data == value
    case .date(let value): return other as? Date == value
    case .array(let values):
      guard let others = other as? [Any], others.count == values.count else { return false }
      return zip(values, others).allSatisfy { isSame($0, $1) }
    case .object(let object):
      guard let others = other as? [String: Any], others.count == object.fields.count else { return false }
      return object.fields.allSatisfy { field in others[field.name].map { isSame(field.value, $0) } ?? false }
    default: return false
    }
  }

  /// - Returns: Whether Foundation reads it.
  private func compare(_ data: Data, isException: Bool = false, _ text: @autoclosure () -> String) async -> Bool {
    guard let expected = foundation(data) else { return false }
    guard !isException else { return true }
    let value = await ours(data)
    #expect(value.map { isSame($0, expected) } == true, "\(text()): \(value as Any) is not \(expected)")
    return true
  }

  private static let contents: [String: [String]] = [
    "integer": {
      let signs = ["", "-", "+", "- ", "+ ", "--", "-\n\t", " -", "-+"]
      let digits = [
        "0", "42", "007", "0x1F", "0Xff", "0x", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "1e3",
        "4 2", "", "0x+1", "1_0",
      ]
      return signs.flatMap { sign in digits.map { sign + $0 } }
    }(),
    "real": {
      let signs = ["", "-", "+", "- "]
      let digits = [
        "0", "1.5", ".5", "5.", "1e3", "1E-3", "1e400", "1e-400", "nan", "NaN", "inf", "Infinity", "INF", "0x1p3", "",
        "1,5",
        "1.5 ", "9007199254740993", "0.1", "1e", "nan(1)",
      ]
      return signs.flatMap { sign in digits.map { sign + $0 } }
    }(),
    "date": {
      let days = [
        "2024-01-31", "2024-01-32", "2024-02-30", "1900-02-29", "2000-02-29", "2023-12-31", "2024-13-01", "2024-13-31",
        "2024-14-01",
        "2024-00-10", "2024-03-00", "0001-01-01", "0000-03-01", "-0001-12-31", "-4712-01-01", "1500-01-01",
        "1582-10-10", "12024-06-15",
        "1-01-01", "99-09-09", "123456-07-08", "2024-1-01", "2024-01-1", "24-001-01", "1234567890-01-01",
      ]
      let times = [
        "T00:00:00Z", "T23:59:59Z", "T24:00:00Z", "T99:99:99Z", "T1:00:00Z", "T00:00Z", "", "T00:00:00", "T00:00:00.5Z",
        "T00:00:00+01:00", " 00:00:00Z", "t00:00:00z",
      ]
      return days.flatMap { day in times.map { day + $0 } } + ["today", "", "2024-01-32"]
    }(),
    "data": ["AQI=", "A Q\nI =", "", "AQ==", "AQID\n\tBA==", "AQI", "*", "AQI=*", "AQID!BA==", "AQI=AQI=", "AAAA"],
    "string": [
      "", "a", "&lt;&#65;&#x41;&amp;", "a<![CDATA[<b>&amp;]]>c", "\r\n", " x ", "]]>", "&#x1F69A;", "&apos;&quot;",
      "&b;", "&#xD800;",
      "&amp", "<b/>", "<!-- c -->x",
    ],
    "key": ["", "a"], "true": ["", "x", " "], "false": [""],
    "array": [
      "", "<true/>", " <true/>\n<false/> ", "<key>x</key>", "<key/>", "x", "<array/><array><string/></array>",
      "<!-- c --><true/>", "<null/>",
    ],
    "dict": [
      "", "<key>x</key><true/>", "<key>x</key>", "<true/>", "<key>x</key><key>y</key><true/>", "<key/><true/>",
      "<key>b</key> <dict/> ",
    ],
    "set": ["", "<true/>"], "null": [""], "String": ["a"],
  ]

  @Test(arguments: contents.keys.sorted()) func elementsAreReadAsFoundationReadsThem(element: String) async {
    var count = 0
    for content in Self.contents[element] ?? [] {
      for text in ["<\(element)>\(content)</\(element)>"]
        + (content.isEmpty ? ["<\(element)/>", "<\(element) />"] : [])
      {
        let list = "<plist><dict><key>a</key>\(text)</dict></plist>"
        let isException = Self.isException(element, content)
        if await compare(Data(list.utf8), isException: isException, text) { count += 1 }
      }
    }
    #expect(count > 0 || ["set", "null", "String"].contains(element))
  }

  @Test func documentsAreReadAsFoundationReadsThem() async {
    let entry = "<key>a</key><string>x</string>"
    let starts = [
      "", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"a\">\n", " \n", "\u{feff}",
      "<!-- <plist> -->", "<?pi?>", "<?xml version='1.0'?><!DOCTYPE plist>", "x", "<!DOCTYPE plist [<!ENTITY a 'b'>]>",
    ]
    let frames = [
      ("", ""), ("<plist>", "</plist>"), ("<plist version=\"1.0\" >", "</plist >"),
      ("<plist>\n<!-- c -->", "\n</plist>\n"),
      ("<plist>", ""), ("<Plist>", "</Plist>"), ("<html>", "</html>"), ("<plist>x", "</plist>"),
      ("<plist>", "x</plist>"),
    ]
    var count = 0
    for start in starts {
      for (opening, closing) in frames {
        let text = "\(start)\(opening)<dict>\(entry)</dict>\(closing)"
        if await compare(Data(text.utf8), text) { count += 1 }
      }
    }
    #expect(count >= 32)
  }

  @Test func binaryListsOfEachVersionAreRead() async throws {
    let list: [String: Any] = [
      "a": ["x", 1, 2.5, true, Date(timeIntervalSinceReferenceDate: 0.5), Data([1]), ["b": "é"]]
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    var count = 0
    for version in ["00", "01", "09", "0x", "0\u{0}", "10", "15", "xx"] {
      if await compare(Data("bplist\(version)".utf8) + data.dropFirst(8), version) { count += 1 }
    }
    #expect(count == 5)
  }

  /// The keys are an integer, a real, a date, data and true. Property lists in XML cannot have them.
  @Test(arguments: ["1041", "233ff0000000000000", "333ff0000000000000", "4101", "09"])
  func aKeyOfABinaryListThatIsNotTextIsReadOnlyByFoundation(key: String) async {
    var list = Data("bplist00".utf8)
    var offsets = Data()
    for object in ["d10102", "5161", "d10304", key, "5142"] {  // {"a": {key: "B"}}
      offsets.append(UInt8(list.count))
      list += Data(hex: object)
    }
    let table = UInt8(list.count)
    for part in [offsets, Data(count: 6), Data([1, 1]), Data(count: 7), Data([5]), Data(count: 15), Data([table])] {
      list += part
    }
    #expect((foundation(list) as? [AnyHashable: Any])?.values.first as? String == "B")
    #expect(await ours(list) == nil)
  }

  /// Each byte of a binary list is changed. If both read it, they read the same value.
  @Test func binaryListsThatBothReadAreTheSameValues() async throws {
    let list: [String: Any] = [
      "a": ["text", 300, 2.5, true, Date(timeIntervalSinceReferenceDate: 0.5), Data([1, 2]), ["b": "é"]]
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    var count = 0
    for index in data.indices.dropFirst(8) {
      for change in [0x01, 0x02, 0x10, 0x7f] as [UInt8] {
        var changed = data
        changed[index] ^= change
        // Foundation on Linux traps on sets and cycles. Sets are skipped here, and cycles are refused by the import.
        guard !(0xb0..<0xd0 ~= changed[index]), let value = await ours(changed) else { continue }
        guard let expected = foundation(changed) else { continue }
        count += 1
        #expect(isSame(value, expected), "byte \(index) ^ \(change): \(value) is not \(expected)")
      }
    }
    #expect(count > 50)
  }
}
#endif
