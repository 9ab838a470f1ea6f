import GlobalData
import KeyedArchive

// The functions that the page calls. Each function but the first two writes JSON, which stays at `inspector_answer`
// until the next call, and returns its length. The JSON is an object with the field "answer" or "error".

/// The state between two calls. A page has one thread, and no function here calls back into it, so there is no
/// concurrent access.
private nonisolated(unsafe) var state = InspectorState()

private struct InspectorState {
  var inspection = Inspection(SharedBytes())
  var answer = ByteBuffer()
}

/// Allocates memory for the bytes of a file or a text. Only `inspector_open` or `inspector_search` may then take it.
@_expose(wasm, "inspector_allocate")
@_cdecl("inspector_allocate")
func inspectorAllocate(_ count: Int32) -> UnsafeMutableRawPointer {
  CMemory.allocate(max(Int(count), 1))
}

@_expose(wasm, "inspector_answer")
@_cdecl("inspector_answer")
func inspectorAnswer() -> UnsafeRawPointer? {
  // The memory of the buffer stays in place until the next answer replaces the buffer.
  state.answer.contents.baseAddress
}

/// Opens an archive, and answers with its summary.
@_expose(wasm, "inspector_open")
@_cdecl("inspector_open")
func inspectorOpen(_ file: UnsafeMutableRawPointer, _ count: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in
    // The page wrote `count` bytes to the memory from `inspector_allocate`, and does not use it afterward.
    let bytes = SharedBytes(adopting: file, count: Int(count))
    let limits = ArchiveLimits()
    guard bytes.count <= limits.maximumFileSize else {
      throw ValueFailure("the file has more than \(limits.maximumFileSize) bytes")
    }
    state.inspection = Inspection(bytes, limits: limits)
    state.inspection.writeSummary(&json)
  }
}

/// Answers with the line of a value.
@_expose(wasm, "inspector_value")
@_cdecl("inspector_value")
func inspectorValue(_ entry: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in try state.inspection.writeRoot(of: Int(entry), &json) }
}

/// Answers with the lines of the values in a value; for an array, with some of them from a position on.
@_expose(wasm, "inspector_parts")
@_cdecl("inspector_parts")
func inspectorParts(_ entry: Int32, _ place: Int32, _ start: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in
    json.open(UInt8(ascii: "["))
    try state.inspection.writeParts(of: Int(entry), place: Int(place), from: Int(start), &json)
    json.close(UInt8(ascii: "]"))
  }
}

/// Answers with the whole of a long text or of long data.
@_expose(wasm, "inspector_text")
@_cdecl("inspector_text")
func inspectorText(_ entry: Int32, _ place: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in
    try state.inspection.writeText(of: Int(entry), place: Int(place), &json)
  }
}

/// Answers with a value in diagnostic notation.
@_expose(wasm, "inspector_notation")
@_cdecl("inspector_notation")
func inspectorNotation(_ entry: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in try state.inspection.writeNotation(of: Int(entry), &json) }
}

/// Answers with the encoded bytes of a value in hexadecimal.
@_expose(wasm, "inspector_bytes")
@_cdecl("inspector_bytes")
func inspectorBytes(_ entry: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in try state.inspection.writeBytes(of: Int(entry), &json) }
}

/// Answers with the positions of the entries whose values contain a text.
@_expose(wasm, "inspector_search")
@_cdecl("inspector_search")
func inspectorSearch(_ text: UnsafeMutableRawPointer, _ count: Int32) -> Int32 {
  answer { (json) throws(ValueFailure) in
    // As above: `wanted` frees these bytes.
    let wanted = SharedBytes(adopting: text, count: Int(count))
    wanted.withUnsafeBytes { state.inspection.writeMatches(of: $0, &json) }
  }
}

private func answer(_ write: (inout JSONText) throws(ValueFailure) -> Void) -> Int32 {
  var json = JSONText()
  do throws(ValueFailure) {
    json.open(UInt8(ascii: "{"))
    json.name("answer")
    try write(&json)
    json.close(UInt8(ascii: "}"))
  } catch {
    json = JSONText()
    json.object { json in json.field("error", error.text) }
  }
  state.answer = json.bytes
  return Int32(clamping: json.bytes.count)
}
