import Foundation
import Testing

/// Rules that no test of behaviour can check, because code that breaks them works, or works on the system of the tests.
struct SourceRulesTests {
  /// The texts of the package's sources in some of its folders, by their paths in the package.
  private static func sources(in folders: [String]) throws -> [String: String] {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    var texts: [String: String] = [:]
    for folder in folders {
      let names = try #require(FileManager.default.enumerator(atPath: root.appending(path: folder).path))
      for case let name as String in names where name.hasSuffix(".swift") && !name.contains(".build/") {
        let path = "\(folder)/\(name)"
        texts[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      }
    }
    return texts
  }

  /// A name in a file must never reach the runtime: only types that the app registered or named are created.
  @Test func noTypeIsLookedUpByItsName() throws {
    let sources = try SourceRulesTests.sources(in: ["Sources"])
    #expect(sources.count > 50)
    let lookups = [
      "NSClassFromString", "_typeByName", "_getTypeByMangledName", "_typeByMangledName", "objc_getClass",
      "objc_lookUpClass", "swift_getTypeByMangledName", "dlsym(",
    ]
    // Types of Foundation that a program need not link are looked up by names in tables; see `RareTypeTests`.
    let tables = ["KeyedArchive/Types/RareTypes+Linking.swift", "FoundationForms/Linking.swift"]
    var lookupsOfTables = 0
    for (path, text) in sources {
      for lookup in lookups {
        if lookup == "_typeByName", tables.contains(where: path.hasSuffix) {
          lookupsOfTables += text.components(separatedBy: lookup).count - 1
        } else {
          #expect(!text.contains(lookup), "\(path): \(lookup)")
        }
      }
    }
    #expect(lookupsOfTables == 2)
  }

  /// Names that some of Apple's systems do not have, or only with more than Foundation, are used in one file each,
  /// which states the condition. Names without a file have another spelling that exists everywhere.
  @Test func systemSpecificNamesAreInOneFileEach() throws {
    // A pattern that begins with a boundary takes seven times as long. Only `Process(` needs one: `ChildProcess(` is allowed.
    let names: [(Regex<Substring>, file: String?)] = [
      (#/Float16\b/#, "Float16+Archive.swift"),
      (#/AffineTransform\b/#, "GeometryTypes.swift"), (#/import CoreGraphics\b/#, "GeometryTypes.swift"),
      (#/CG(?:Vector|AffineTransform)\b/#, "GeometryTypes.swift"),
      (#/values\.isExcludedFromBackup\b/#, "POSIXSystemCalls+Backups.swift"),
      (#/CGRect\(x:/#, nil), (#/CG(?:Point|Size|Rect)\.(?:zero|null|infinite)\b/#, nil),
      (#/NS(?:Point|Size|Rect)\b/#, nil), (#/\bProcess\(/#, nil),
      (#/homeDirectoryForCurrentUser\b/#, "StoreLocation.swift"), (#/containerURL\(/#, "StoreLocation.swift"),
      (#/fcopyfile\b/#, "DarwinCalls.swift"), (#/F_\w+(?:SYNC|PROTECTIONCLASS)\b/#, "DarwinCalls.swift"),
      (#/_PC_\w+/#, "DarwinCalls.swift"), (#/qos_class\w+/#, "DeepStack.swift"),
      (#/f(?:list|get|set)xattr\b/#, "PlatformCalls.swift"), (#/st_mtim\w*/#, "PlatformCalls.swift"),
    ]
    for (path, text) in try SourceRulesTests.sources(in: ["Sources"]) {
      let code = text.replacing(#/"[^"\n]*"/#, with: "").replacing(#/\/\/[^\n]*/#, with: "")
      for (name, file) in names.map({ ($0.wordBoundaryKind(.simple), $1) }) {
        if let file, path.hasSuffix("/\(file)") {
          #expect(code.contains(name), "\(file) no longer names this")
        } else {
          let found = code.firstMatch(of: name)?.output
          #expect(found == nil, "\(path): `\(found ?? "")`: some of Apple's systems do not have it")
        }
      }
    }
  }

  /// Calls that iOS does not have: those that start programs, and Foundation's own geometry.
  @Test func testsUseComputerOnlyCallsOnComputersOnly() throws {
    let names = #/\bProcess\(|NS(?:Point|Size|Rect)\b|NSValue\((?:point|size|rect):/#.wordBoundaryKind(.simple)
    var uses = 0
    for (path, text) in try SourceRulesTests.sources(in: ["Tests"]) where !path.hasSuffix("/SourceRulesTests.swift") {
      var conditions: [Substring] = []
      for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
        if line.hasPrefix("#if ") { conditions.append(line.dropFirst(4)) }
        if line.hasPrefix("#else") || line.hasPrefix("#endif") { _ = conditions.popLast() }
        if line.hasPrefix("#else") { conditions.append("") }
        guard !line.hasPrefix("//"), line.contains(names) else { continue }
        uses += 1
        #expect(conditions.contains { $0.hasPrefix("os(macOS) || os(Linux)") }, "\(path): \(line)")
      }
    }
    #expect(uses > 5)
  }

  /// Only `Float16` depends on the processor: it does not exist on Intel Macs, whatever system runs there.
  @Test func aConditionOnTheProcessorCountsMacCatalystAsAMac() throws {
    var count = 0
    for (path, text) in try SourceRulesTests.sources(in: ["Sources", "Tests"]) {
      for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
        guard line.hasPrefix("#if"), line.contains("arch(x86_64)") else { continue }
        count += 1
        #expect(line.contains("(os(macOS) || targetEnvironment(macCatalyst)) && arch"), "\(path): \(line)")
      }
    }
    #expect(count > 0)
  }

  @Test(arguments: SourceRule.all) func sourcesFollowTheRule(rule: SourceRule) throws {
    let sources = try SourceRulesTests.sources(in: rule.folders)
    for folder in rule.folders { #expect(sources.keys.contains { $0.hasPrefix("\(folder)/") }, "\(folder)") }
    var unused = Set(rule.exceptions.flatMap { exception in exception.code.map { "\(exception.file): \($0)" } })
    for (path, text) in sources where path.split(separator: "/").last != "SourceRulesTests.swift" {
      for finding in try rule.findings(in: text) {
        let isAllowed = rule.exceptions.contains { path.hasSuffix("/\($0.file)") && $0.code.contains(finding) }
        #expect(isAllowed, "\(path): `\(finding)`: \(rule.reason)")
        unused.remove("\(path.split(separator: "/").last ?? ""): \(finding)")
      }
    }
    #expect(unused == [], "these exceptions are no longer needed")
  }

  @Test(arguments: SourceRule.all) func theRuleFindsExactlyTheForbiddenCode(rule: SourceRule) throws {
    for code in rule.forbidden { #expect(try rule.findings(in: "let a = \(code)\n").count == 1, "\(code)") }
    for code in rule.allowed { #expect(try rule.findings(in: "let a = \(code)\n") == [], "\(code)") }
  }
}

/// Code that the sources may not contain, although it compiles.
struct SourceRule: Sendable, CustomTestStringConvertible {
  /// Code in a file that the rule finds, and that is correct there.
  struct Exception: Sendable {
    let file: String
    let code: [String]
    let why: String

    init(_ file: String, _ code: [String], _ why: String) {
      (self.file, self.code, self.why) = (file, code, why)
    }
  }

  let name: String
  let reason: String
  /// The folders of the package that the rule applies to.
  let folders: [String]
  let exceptions: [Exception]
  /// Pieces of code that the rule must find, with one finding each, and pieces that it must allow.
  let forbidden: [String]
  let allowed: [String]
  /// The findings of the rule in code without comments.
  let find: @Sendable (String) throws -> [String]

  var testDescription: String { name }

  func findings(in text: String) throws -> [String] {
    let lines = text.split(separator: "\n").map { line in
      // A comment begins a line or follows a space. The "//" of a URL in a text does not.
      let isComment = line.drop { $0 == " " }.hasPrefix("//")
      return isComment ? "" : line[..<(line.firstRange(of: " //")?.lowerBound ?? line.endIndex)]
    }
    return try find(lines.joined(separator: "\n"))
  }

  private static func matches(of text: String) -> @Sendable (String) throws -> [String] {
    { code in try code.matches(of: pattern(text)).map { String(code[$0.range]) } }
  }

  /// A pattern that treats the names on both sides of a period as two words. In Unicode, they are one.
  private static func pattern(_ text: String) throws -> Regex<AnyRegexOutput> {
    try Regex(text).wordBoundaryKind(.simple)
  }

  static let all = [
    essentials, foundation, resolvingPaths, writing, shifts, genericShifts, literals, conversions, thrownErrors,
  ]

  private static let essentials = SourceRule(
    name: "FoundationEssentials is only imported by FoundationCore",
    reason: "Apple's systems do not have it, although the compiler suggests it; import FoundationCore or Foundation.",
    folders: ["Sources", "Examples", "Tests", "Fuzzing"],
    exceptions: [Exception("FoundationCore.swift", ["import FoundationEssentials"], "Only where it can be imported.")],
    forbidden: ["import FoundationEssentials"],
    allowed: ["import Foundation", "canImport(FoundationEssentials)"],
    find: matches(of: #"\bimport FoundationEssentials\b"#))

  private static let foundation = SourceRule(
    name: "The store does not import all of Foundation",
    reason: "Foundation adds 45 MB to a static program; import FoundationCore.",
    folders: ["Sources/CodingSupport", "Sources/KeyedArchive", "Sources/GlobalData"],
    exceptions: [],
    forbidden: ["import Foundation"],
    allowed: ["import FoundationCore"],
    find: matches(of: #"\bimport Foundation\b"#))

  private static let resolvingPaths = SourceRule(
    name: "Paths are resolved by the system",
    reason:
      "Foundation strips /private from a path once the file exists, so that one file has two paths; use realpath.",
    folders: ["Sources", "Examples", "Tests", "Fuzzing"],
    exceptions: [],
    forbidden: [
      "url.standardizedFileURL", "url.resolvingSymlinksInPath()", "url.standardized", "path.standardizingPath",
      "(path as NSString).resolvingSymlinksInPath", "{ $0.standardize() }", "{ $0.resolveSymlinksInPath() }",
    ],
    allowed: ["standardized(url)", "url.path  // not .standardized", "unit.standardizedName"],
    find: matches(
      of: #"\.(standardized|standardizedFileURL|standardizingPath|standardize\(|resolv(ing|e)SymlinksInPath)(?!\w)"#))

  private static let writing = SourceRule(
    name: "A failed write to a stream throws",
    reason: "FileHandle.write(_:) ends the process at a closed stream on Apple's systems; use write(contentsOf:).",
    folders: ["Sources", "Examples", "Tests", "Fuzzing"],
    exceptions: [],
    forbidden: [
      "FileHandle.standardError.write(Data())", "FileHandle.standardOutput.write(data)", "handle.write(data)",
      "fileHandle.write(data)", "pipe.fileHandleForWriting.write(data)",
    ],
    allowed: ["try FileHandle.standardError.write(contentsOf: data)", "file.write(data)"],
    find: matches(of: #"\b(standardError|standardOutput|fileHandleForWriting|\w*[hH]andle)\.write\((?!contentsOf:)"#))

  private static let shifts = SourceRule(
    name: "No shift is wider than the narrowest Int",
    reason: "Where Int has 32 bits, as on some watches, such a shift is 0 or negative; say UInt64(1).",
    folders: ["Sources", "Examples"],
    exceptions: [],
    forbidden: ["1 << 31", "1 << 32", "1 << 63", "1<<40", "1 << 100", "1 &<< 32"],
    allowed: ["1 << 30", "1 << 3", "UInt64(1) << 32", "bytes[1] << 8", "11 << 4"],
    find: matches(of: #"\b1 ?&?<< ?(3[1-9]|[4-9][0-9]|[0-9]{3,})\b"#))

  private static let genericShifts = SourceRule(
    name: "A shift is not generic",
    reason: "Each file with such a shift takes longer to compile, see IntegerConversions.swift; use &<< and &>>.",
    folders: ["Sources/CodingSupport", "Sources/KeyedArchive", "Sources/FoundationForms", "Sources/GlobalData"],
    exceptions: [],
    forbidden: ["a << 8", "a >> b", "a <<= 1", "a >>= 1"],
    allowed: ["a &<< 8", "a &>> b", "[[a]]"],
    find: matches(of: #" (<<|>>)=? "#))

  private static let literals = SourceRule(
    name: "A number greater than the narrowest Int says its type",
    reason: "Where Int has 32 bits, as on some watches, the number does not fit; name a type of 64 bits in its line.",
    folders: ["Sources"],
    exceptions: [
      Exception("CBORHead.swift", ["0xffff_ffff"], "Compared with a UInt64."),
      Exception("ByteBuffer.swift", ["0xffff_ffff"], "Compared with a UInt64."),
      Exception("TextHash.swift", ["0xff51_afd7_ed55_8ccd"], "Multiplied with a UInt64."),
      Exception("Date+Archive.swift", ["253_402_300_799"], "The end of a range of Double."),
      Exception("Date+Text.swift", ["252_423_993_600"], "The end of a range of Double."),
    ],
    forbidden: ["2_147_483_648", "0x8000_0000", "4294967296", "0xFFFF_FFFF_FFFF", "99_999_999_999_999_999_999_999"],
    allowed: [
      "2_147_483_647", "0x7fff_ffff", "0xffff_ffff as UInt64", "a.b as Int64 * 4294967296", "62_135_596_800.0",
      "name4294967296",
    ],
    find: { code in
      let types = try pattern(#"\b(U?Int64|UInt32|U?Int128|Double|TimeInterval)\b"#)
      let literals = try pattern(#"\b(0x[0-9A-Fa-f_]+|[0-9][0-9_]*)\b(?!\.[0-9])"#)
      return code.split(separator: "\n").flatMap { line in
        let numbers = line.matches(of: literals).map { String(line[$0.range]) }.filter { number in
          let digits = number.replacing("_", with: "")
          let value = digits.hasPrefix("0x") ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
          return value.map { $0 > 0x7fff_ffff } ?? true  // a value of more than 64 bits is greater, too
        }
        return numbers.isEmpty || line.contains(types) ? [] : numbers
      }
    })

  /// A conversion with a label is allowed: `exactly:`, `clamping:`, `truncatingIfNeeded:` and `bitPattern:` never trap.
  /// So is `UInt64`, which holds every size and every number of a file that is not negative.
  private static let conversions = SourceRule(
    name: "No number of a file is converted with a trap",
    reason:
      "A number in a file may not fit, above all where Int has 32 bits; use exactly:, clamping: or truncatingIfNeeded:.",
    folders: [
      "Sources/KeyedArchive/CBOR", "Sources/KeyedArchive/Decoding", "Sources/GlobalData/Format",
      "Sources/GlobalDataImporting", "Sources/ModelMapping/Numerals",
    ],
    exceptions: [
      Exception(
        "HalfPrecision.swift",
        [
          "Int((bits &>> 23) & 0xff)", "UInt32(126 - exponent)", "UInt32(bits & 0x8000)", "UInt32(bits &>> 10)",
          "UInt32(bits & 0x3ff)",
        ],
        "Bits of a UInt16, or at most eight bits of a UInt32; the difference is that of an exponent below 113."),
      Exception(
        "StructureIndex.swift", ["Int(count)", "Int(innermost.container)", "Int(namespace)"],
        "Of an Int32, and the namespace is asked for its sign before."),
      Exception("DecodingInput.swift", ["Int(cursor.container)"], "Of an Int32."),
      Exception(
        "ArchivedClass.swift", ["Int(String(decoding: digits, as: UTF8.self))"], "Of a text: nil if it does not fit."),
      Exception("DecodingInput+Text.swift", ["Int(cursor.namespace)"], "Of an Int32."),
      Exception(
        "DecodingUnkeyedContainer.swift", ["Int(try session.input.container(at: array.cursor).count)"], "Of an Int32."),
      Exception(
        "DecodingSession+Values.swift",
        ["Int(try input.container(at: array.cursor).count)", "Int(try input.container(at: map.cursor).count)"],
        "Of an Int32."),
      Exception("FieldCursor.swift", ["Int(try input.container(at: map.cursor).count)"], "Of an Int32."),
      Exception(
        "DecodingSession+Evolution.swift", ["Int64(object.version)", "Int(try input.container(at: map.cursor).count)"],
        "Of an Int, and of an Int32."),
      Exception("XXHash64.swift", ["Int(total % 32)"], "Less than 32."),
      Exception("IntegerConversions.swift", ["numericCast(value)"], "Of a call that this rule examines."),
      Exception(
        "CBORReader.swift",
        [
          "Int(first & 3)", "Int(base.load(fromByteOffset: offset &+ 1, as: UInt8.self))",
          "Int(UInt16(bigEndian: argument))",
        ],
        "Of one byte or two."),
      Exception(
        "RecoveryBudget.swift", ["Int64(byteCount)", "Int64(count)", "Int64(valueLength)", "Int64(keyLength)"],
        "Of an Int."),
      Exception(
        "RecordBlocks.swift", ["Int(block)", "Int(free)"],
        "A UInt32 that was made of an Int, of a place in memory."),
      Exception(
        "ArchiveParser+PlainEntries.swift",
        ["Int(head & 0x1f)", "Int(head)", "Int(bytes[start + 1])", "Int(bytes[keyEnd + 2])", "Int(bytes[keyEnd + 3])"],
        "Of a byte."),
      Exception(
        "BinaryPropertyList.swift",
        ["Int(bytes[trailer + 6])", "Int(bytes[trailer + 7])", "Int(marker & 0xf)", "UInt8(low)"],
        "Of a byte, or of its lower half."),
      Exception("XMLPropertyList.swift", [#"Int64($1 - UInt8(ascii: "0"))"#], "Of a digit."),
      Exception("JSONReader.swift", ["Int(text)"], "Of a text, which gives nil."),
      Exception("DecimalNumeral.swift", ["Int(Substring(digits))"], "Of a text, which gives nil."),
      Exception(
        "KeyCache.swift",
        ["Int(last)", "Int(guess)", "Int(identifier)", "Int(entry.number)"],
        "Of an Int32, which is asked for its sign before where it is a place."),
      Exception("StringTable.swift", ["Int(buckets[slot])"], "Of a UInt16."),
    ],
    forbidden: [
      "Int(argument)", "UInt32(head.argument)", "Int32(f(a, b))", "bytes[Int(number)]", "Int64(number)", "UInt(x)",
      "numericCast(x)",
      "Int8(Int(exactly: x) ?? 0)", "a.map(Int.init)", "Int.init(x)", "Swift.Int(x)",
    ],
    allowed: [
      "Int(exactly: argument)", "Int(clamping: argument)", "Int(truncatingIfNeeded: argument)", "UInt64(bytes.count)",
      "UInt32(digits, radix: 16)", "UInt8(ascii: \"a\")", "appendInt(a)", "Int.max", "[Int]()", "Int32.init(exactly:)",
    ],
    find: { code in
      let calls = try pattern(
        #"\b((U?Int(8|16|32)?|Int64)(\.init\b(?!\((exactly|clamping|truncatingIfNeeded|bitPattern):)|\()|numericCast\()"#
      )
      return code.matches(of: calls).compactMap { match in
        let name = code[match.range]
        guard name.hasSuffix("(") else { return String(name) }
        let call = name + argument(code[match.range.upperBound...])
        let isSafe = call.firstMatch(of: /^\w+\(\s*\w+:/) != nil || call.contains(", radix:")
        return isSafe ? nil : String(call)
      }
    })

  private static let thrownErrors = SourceRule(
    name: "No test uses the result of an expected error",
    reason: "With Swift 6.0, #expect(throws:) and #require(throws:) return nothing; use expectError or requireError.",
    folders: ["Tests"],
    exceptions: [],
    forbidden: [
      "#expect(throws: E.self) { f() }", "await #expect(throws: E.self) { f() }", "try #require(throws: E()) { f() }",
    ],
    allowed: ["b; #expect(throws: E.self) { f() }", "expectError(E.self) { f() }"],
    find: matches(of: #"= (try )?(await )?#(expect|require)\(throws:"#))

  /// Returns the code up to the parenthesis that closes the one before it.
  private static func argument(_ rest: Substring) -> Substring {
    var depth = 1
    let end = rest.firstIndex { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth == 0
    }
    return end.map { rest[...$0] } ?? rest
  }
}
