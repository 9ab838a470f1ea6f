import Foundation

/// Bytes of the input, each of which is one decision.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { self.bytes = ArraySlice(bytes) }

  var isEmpty: Bool { bytes.isEmpty }

  /// Returns the next decision, or 0 at the end of the bytes.
  mutating func below(_ bound: Int) -> Int { Int(bytes.popFirst() ?? 0) % bound }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Takes the decisions of a nested script. Their number comes first, so that a change in them moves no others.
  mutating func part() -> Choices {
    let part = Choices(bytes.dropFirst().prefix(Int(bytes.first ?? 0)))
    bytes = bytes.dropFirst(1 + part.bytes.count)
    return part
  }
}

struct Key: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ stringValue: String, _ intValue: Int? = nil) { (self.stringValue, self.intValue) = (stringValue, intValue) }
  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init("\(intValue)", intValue) }

  static let all = [
    Key("a"), Key("b"), Key("super"), Key(""), Key(intValue: 7), Key("x", 7), Key("Optional"),
    Key("a key that is long enough to be numbered"),
  ]
}

/// What was written at one place, as far as it decides which calls are allowed there.
final class Slot {
  enum Content {
    case nothing
    case map
    case array
    /// A value that no container may continue.
    case closed
    /// A value that stores only another one, which a container may continue.
    case wrapping(Slot)
    /// A super encoder. `JSONEncoder` writes its content only when it is released.
    case superEncoder
  }

  var content = Content.nothing
  var fields: [String: Slot] = [:]
  /// The keys in use, which are used again more often than others.
  var keys: [Key] = []

  init(_ content: Content = .nothing) { self.content = content }

  /// The place that a container continues.
  var innermost: Slot { if case .wrapping(let slot) = content { slot.innermost } else { self } }

  /// Prepares to open or continue a map or an array. Returns whether that is allowed: `JSONEncoder` stops the program if
  /// something else was written.
  func open(_ kind: Content) -> Bool {
    switch (innermost.content, kind) {
    case (.nothing, _): content = kind
    case (.map, .map), (.array, .array): break
    default: return false
    }
    return true
  }
}

/// The calls that one value makes to an encoder.
final class Script: @unchecked Sendable {  // only used by one thread at a time
  private let choices: Choices
  private let depth: Int
  private let path: [any CodingKey]
  let slot = Slot()

  init(_ choices: Choices, depth: Int = 0, path: [any CodingKey]) {
    (self.choices, self.depth, self.path) = (choices, depth, path)
  }

  func write(to encoder: any Encoder, as type: (any Decodable.Type)? = nil) throws {
    // An encoder may ask for a value twice. Only what the last attempt writes counts.
    (slot.content, slot.fields, slot.keys) = (.nothing, [:], [])
    var writer = Writer(choices: choices, depth: depth, run: Run.current(encoder.userInfo))
    if depth == 0 { writer.run.begin() }
    if let type { writer.run.record("encode a scripted value", .type(type), path) }
    try writer.write(to: encoder, slot, path)
    if case .nothing = slot.content { slot.content = .map }
  }
}

// MARK: Writing

private struct Writer {
  var choices: Choices
  let depth: Int
  let run: Run
  private var places: [Place] = []

  private enum Place {
    case encoder(any Encoder, Slot, path: [any CodingKey])
    case map(KeyedEncodingContainer<Key>, Slot, path: [any CodingKey])
    case array(any UnkeyedEncodingContainer, path: [any CodingKey])
  }

  init(choices: Choices, depth: Int, run: Run) { (self.choices, self.depth, self.run) = (choices, depth, run) }

  /// Makes calls on the encoder and on the containers that they return, in any order, until the decisions end.
  mutating func write(to encoder: any Encoder, _ slot: Slot, _ path: [any CodingKey]) throws {
    run.expect(encoder.codingPath, path)
    places = [.encoder(encoder, slot, path: path)]
    while !choices.isEmpty {
      let index = places.count - 1 - choices.below(places.count)
      switch places[index] {
      case .encoder(let encoder, let slot, let path): try call(encoder, slot, path)
      case .map(var container, let slot, let path):
        try call(&container, slot, path)
        places[index] = .map(container, slot, path: path)
      case .array(var container, let path):
        try call(&container, path)
        places[index] = .array(container, path: path)
      }
    }
  }

  private mutating func open(_ container: KeyedEncodingContainer<Key>, _ slot: Slot, _ path: [any CodingKey]) {
    run.record("open a map", .map, path)
    run.expect(container.codingPath, path)
    places.append(.map(container, slot, path: path))
  }

  private mutating func open(_ container: any UnkeyedEncodingContainer, _ path: [any CodingKey]) {
    run.record("open an array", .array, path)
    run.expect(container.codingPath, path)
    places.append(.array(container, path: path))
  }

  private mutating func call(_ encoder: any Encoder, _ slot: Slot, _ path: [any CodingKey]) throws {
    switch choices.below(5) {
    case 0, 1: if slot.open(.map) { open(encoder.container(keyedBy: Key.self), slot.innermost, path) }
    case 2: if slot.open(.array) { open(encoder.unkeyedContainer(), path) }
    case 3:
      guard case .nothing = slot.content else { return }
      let (value, content) = value(path)
      slot.content = .wrapping(content)
      run.record("encode a single value", .type(type(of: value)), path)
      var container = encoder.singleValueContainer()
      if let value = value as? Int { try container.encode(value) } else { try container.encode(value) }
    default:
      guard case .nothing = slot.content else { return }
      slot.content = .closed
      run.record("encode nil as a single value", .type(Int?.self), path)
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }

  private mutating func call(
    _ container: inout KeyedEncodingContainer<Key>, _ slot: Slot, _ path: [any CodingKey]
  ) throws {
    let key = choices.one(of: Key.all + slot.keys)
    slot.keys.append(key)
    let path = path + [key]
    let old = slot.fields[key.stringValue]
    if case .superEncoder = old?.content { return }
    let call = choices.below(8)
    switch call {
    case 0, 1, 2, 3:
      let (value, content) = value(path)
      slot.fields[key.stringValue] = content
      run.forget(path)
      if call == 3 { return try encodeIfPresent(value, to: &container, key, path) }
      run.record("encode a field", .type(type(of: value)), path)
      if let value = value as? Int {
        try container.encode(value, forKey: key)
      } else {
        try container.encode(value, forKey: key)
      }
    case 4:
      slot.fields[key.stringValue] = Slot(.closed)
      run.forget(path)
      run.record("encode nil as a field", .type(Int?.self), path)
      try container.encodeNil(forKey: key)
    case 5:
      guard let nested = opened(.map, in: slot, key) else { return }
      open(container.nestedContainer(keyedBy: Key.self, forKey: key), nested, path)
    case 6:
      guard opened(.array, in: slot, key) != nil else { return }
      open(container.nestedUnkeyedContainer(forKey: key), path)
    default:
      guard old == nil else { return }
      slot.fields[key.stringValue] = Slot(.superEncoder)
      let encoder = key.stringValue == "super" ? container.superEncoder() : container.superEncoder(forKey: key)
      run.note("open a super encoder", path: path)
      run.expect(encoder.codingPath, path)
      places.append(.encoder(encoder, Slot(), path: path))
    }
  }

  /// Encodes a field as the property that it would be, which has one more level of optionals.
  private func encodeIfPresent<Value: Codable>(
    _ value: Value, to container: inout KeyedEncodingContainer<Key>, _ key: Key, _ path: [any CodingKey]
  ) throws {
    run.record("encode a field if present", .type(Value?.self), path)
    try container.encodeIfPresent(value, forKey: key)
  }

  private func opened(_ kind: Slot.Content, in slot: Slot, _ key: Key) -> Slot? {
    let nested = slot.fields[key.stringValue] ?? Slot()
    guard nested.open(kind) else { return nil }
    slot.fields[key.stringValue] = nested
    return nested.innermost
  }

  private mutating func call(_ container: inout any UnkeyedEncodingContainer, _ path: [any CodingKey]) throws {
    run.note("count", path: path, "\(container.count)")
    let path = path + [Key("Index \(container.count)", container.count)]
    switch choices.below(8) {
    case 0, 1, 2:
      let (value, _) = value(path)
      run.record("encode an element", .type(type(of: value)), path)
      if let value = value as? Int { try container.encode(value) } else { try container.encode(value) }
    case 3:
      run.record("encode nil as an element", .type(Int?.self), path)
      try container.encodeNil()
    case 4: open(container.nestedContainer(keyedBy: Key.self), Slot(.map), path)
    case 5: open(container.nestedUnkeyedContainer(), path)
    case 6:
      // It is released immediately: `JSONEncoder` gives elements another order if two of these are open.
      run.note("open a super encoder as an element", path: path)
      try Script(choices.part(), depth: depth + 1, path: path).write(to: container.superEncoder())
    default: break
    }
  }

  /// Returns a value, and what it writes if a container may continue that.
  private mutating func value(_ path: [any CodingKey]) -> (any Codable & Sendable, Slot) {
    let number = choices.below(Values.samples.count + Values.forms.count)
    if number < Values.samples.count { return (Values.samples[number], Slot(.closed)) }
    let form = Values.forms[number - Values.samples.count]
    let script = Script(depth < 4 ? choices.part() : Choices([]), depth: depth + 1, path: path + form.keys)
    return (form.value(script), form.isContinued ? script.slot : Slot(.closed))
  }
}

// MARK: Reading

/// A value that can be read: a field, an element, or the single value of a decoder.
private struct Place {
  let name: String
  let path: [any CodingKey]
  let decode: (any Decodable.Type) throws -> Any
  let decodeIfPresent: (any Decodable.Type) throws -> Any?
  let decodeNil: () throws -> Bool
  let map: () throws -> KeyedDecodingContainer<Key>
  let array: () throws -> any UnkeyedDecodingContainer
  var superDecoder: (() throws -> any Decoder)?
}

// Containers have methods of their own for `Int` and other such types. The generic ones are also called for those.
extension Place {
  fileprivate init(_ key: Key, in container: KeyedDecodingContainer<Key>) {
    self.init(
      name: "field", path: container.codingPath + [key],
      decode: { try $0 == Int.self ? container.decode(Int.self, forKey: key) : container.decode($0, forKey: key) },
      decodeIfPresent: { type in
        if type == Int.self { return try container.decodeIfPresent(Int.self, forKey: key) }
        return try container.decodeIfPresent(type, forKey: key)
      },
      decodeNil: { try container.decodeNil(forKey: key) },
      map: { try container.nestedContainer(keyedBy: Key.self, forKey: key) },
      array: { try container.nestedUnkeyedContainer(forKey: key) },
      superDecoder: {
        try key.stringValue == "super" ? container.superDecoder() : container.superDecoder(forKey: key)
      })
  }

  fileprivate init(next list: List) {
    let index = list.container.currentIndex
    self.init(
      name: "element", path: list.container.codingPath + [Key("Index \(index)", index)],
      decode: { try $0 == Int.self ? list.container.decode(Int.self) : list.container.decode($0) },
      decodeIfPresent: { try list.container.decodeIfPresent($0) }, decodeNil: { try list.container.decodeNil() },
      map: { try list.container.nestedContainer(keyedBy: Key.self) },
      array: { try list.container.nestedUnkeyedContainer() }, superDecoder: { try list.container.superDecoder() })
  }

  fileprivate init(in decoder: any Decoder) {
    func decode(_ type: any Decodable.Type) throws -> Any {
      let container = try decoder.singleValueContainer()
      return try type == Int.self ? container.decode(Int.self) : container.decode(type)
    }
    self.init(
      name: "single value", path: decoder.codingPath, decode: decode,
      decodeIfPresent: { try decoder.singleValueContainer().decodeNil() ? nil : decode($0) },
      decodeNil: { try decoder.singleValueContainer().decodeNil() },
      map: { try decoder.container(keyedBy: Key.self) }, array: { try decoder.unkeyedContainer() })
  }
}

/// Shares a container, which advances, between the closures of a place.
private final class List {
  var container: any UnkeyedDecodingContainer

  init(_ container: any UnkeyedDecodingContainer) { self.container = container }
}

extension Run {
  /// Reads a value with the calls that the last bytes of the input choose.
  ///
  /// Throws no error, so that a script goes on after it has tried to read a value as another one.
  func read(from decoder: any Decoder) {
    // The package begins again, on a thread with more stack, if a value is nested deeply.
    if depth == 1 { restart() }
    note("decoder", path: decoder.codingPath)
    // `Skipped` is the type that reads nothing.
    attempt("decode nil: single value", nil, decoder.codingPath) {
      "\(try decoder.singleValueContainer().decodeNil())"
    }
    guard depth < 40 else { return }  // A single value can be read as a scripted value again and again.
    repeat { read(Place(in: decoder)) } while choices.below(4) == 1
  }

  private func read(_ place: Place) {
    let (name, path) = (place.name, place.path)
    let written = forms(at: path)
    switch choices.below(16) {
    case 0..<8:
      // What was written there is more likely to be read than anything else.
      switch choices.one(of: written + written + Values.others.map(Form.type)) {
      case .map: read(fields: place)
      case .array: read(elements: place)
      case .type(let type): attempt("decode: \(name)", type, path) { Values.text(of: try place.decode(type)) }
      }
    case 8..<11:
      guard case .type(let type) = choices.one(of: written + Values.others.map(Form.type)) else { return }
      attempt("decode if present: \(name)", type, path) { try place.decodeIfPresent(type).map(Values.text) ?? "nil" }
    case 11: attempt("decode nil: \(name)", nil, path) { "\(try place.decodeNil())" }
    case 12: read(fields: place)
    case 13: read(elements: place)
    default:
      guard let superDecoder = place.superDecoder else { return }
      attempt("superDecoder: \(name)", nil, path) {
        read(from: try superDecoder())
        return ""
      }
    }
  }

  private func read(fields place: Place) {
    attempt("map: \(place.name)", nil, place.path) {
      let container = try place.map()
      let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
      note("keys", path: container.codingPath, "\(keys.map(\.stringValue))")
      while case let choice = choices.below(2 * keys.count + 4), choice > 0 {
        let key = choice <= 2 * keys.count ? keys[choice % keys.count] : choices.one(of: Key.all)
        note("contains", path: container.codingPath, "\(key.stringValue) \(container.contains(key))")
        read(Place(key, in: container))
      }
      return ""
    }
  }

  private func read(elements place: Place) {
    attempt("array: \(place.name)", nil, place.path) {
      let list = List(try place.array())
      while true {
        let container = list.container
        let count = container.count.map(String.init) ?? "unknown"
        note("index", path: container.codingPath, "\(container.currentIndex) of \(count) \(container.isAtEnd)")
        guard choices.below(8) > 0 else { return "" }
        read(Place(next: list))
      }
    }
  }
}
