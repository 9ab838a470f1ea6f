import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Random sequences of calls on nested containers, in turns, with repeated keys and failures.
///
/// Each call also goes to a model: a tree of objects, for which the order of calls does not matter.
@Suite struct RandomScriptTests {
  @Test func anySequenceOfCallsHasTheSameResultAsAModel() throws {
    for seed in (0..<3000).oneIn(3) {
      let script = RandomScript(seed: UInt64(seed))
      let written = try KeyedArchiveDecoder().decode(
        [ArchiveValue].self, from: KeyedArchiveEncoder().encode([script]))
      // The encoder may ask a value to encode itself twice. The model is that of the last attempt.
      if written != [script.model.tree] {
        Issue.record("seed \(seed): \(written) is not \(script.model.tree)")
        break
      }
    }
  }
}

/// The result of a script, in the simplest form.
private final class Model {
  enum Content {
    case nothing
    case scalar(ArchiveValue)
    case array([Model])
    case map([(name: String, value: Model)])
  }

  var content = Content.nothing
  /// Whether a nested container or encoder writes it. Another kind of container must not be requested under the same
  /// key.
  var isNested = false

  convenience init(_ value: ArchiveValue) {
    self.init()
    content = .scalar(value)
  }

  subscript(name: String) -> Model? {
    get {
      if case .map(let fields) = content { fields.first { $0.name == name }?.value } else { nil }
    }
    set {
      guard let newValue, case .map(var fields) = content else { return }
      if let index = fields.firstIndex(where: { $0.name == name }) {
        fields[index].value = newValue
      } else {
        fields.append((name, newValue))
      }
      content = .map(fields)
    }
  }

  func append(_ element: Model) {
    guard case .array(let elements) = content else { return }
    content = .array(elements + [element])
  }

  /// Makes the model a container, unless it already is.
  func open(_ empty: Content) {
    if case .nothing = content { content = empty }
  }

  var tree: ArchiveValue {
    switch content {
    case .nothing: return [:]
    case .scalar(let value): return value
    case .array(let elements): return .array(elements.map(\.tree))
    case .map(let fields):
      var object = ArchiveObject()
      for field in fields { object[field.name] = field.value.tree }
      return .object(object)
    }
  }
}

/// A value that calls its encoder randomly, in the same way each time.
private struct RandomScript: Encodable {
  let seed: UInt64
  var depth = 0
  let model = Model()

  func encode(to encoder: any Encoder) throws {
    var run = Run(random: SeededGenerator(seed: seed), depth: depth)
    model.content = .nothing
    try run.start(with: encoder, model)
    for _ in 0..<run.random.below(20) { try run.step() }
  }
}

private struct Run {
  var random: SeededGenerator
  let depth: Int
  private var maps: [(container: KeyedEncodingContainer<AnyKey>, model: Model)] = []
  private var arrays: [(container: any UnkeyedEncodingContainer, model: Model)] = []

  init(random: SeededGenerator, depth: Int) {
    self.random = random
    self.depth = depth
  }

  mutating func start(with encoder: any Encoder, _ model: Model) throws {
    switch random.below(3) {
    case 0: open(encoder.container(keyedBy: AnyKey.self), model)
    case 1: open(encoder.unkeyedContainer(), model)
    default:
      var container = encoder.singleValueContainer()
      if random.below(3) == 0 { givingUp { try container.encode([Failing()]) } }
      let text = text()
      try container.encode(text)
      model.content = .scalar(.string(text))
    }
  }

  private mutating func open(_ container: KeyedEncodingContainer<AnyKey>, _ model: Model) {
    model.open(.map([]))
    maps.append((container, model))
  }

  private mutating func open(_ container: any UnkeyedEncodingContainer, _ model: Model) {
    model.open(.array([]))
    arrays.append((container, model))
  }

  private mutating func text() -> String {
    "value \(random.below(40))"
  }

  private mutating func nested() -> RandomScript {
    RandomScript(seed: random.next(), depth: depth + 1)
  }

  /// Writes one value to one of the open containers.
  mutating func step() throws {
    guard !maps.isEmpty || !arrays.isEmpty else { return }
    let container = random.below(maps.count + arrays.count)
    if container < maps.count {
      try write(to: container)
    } else {
      try append(to: container - maps.count)
    }
  }

  private mutating func write(to map: Int) throws {
    let key = AnyKey(stringValue: "key \(random.below(12))")
    let model = maps[map].model
    switch random.below(9) {
    case 0...2:
      let text = text()
      try maps[map].container.encode(text, forKey: key)
      model[key.stringValue] = Model(.string(text))
    case 3:
      try maps[map].container.encodeNil(forKey: key)
      model[key.stringValue] = Model(nil)
    case 4: givingUp { try maps[map].container.encode(Failing(), forKey: key) }
    case 5:
      var child = model[key.stringValue] ?? Model()
      if case .map = child.content {} else if child.isNested { return } else { child = Model() }
      child.isNested = true
      model[key.stringValue] = child
      open(maps[map].container.nestedContainer(keyedBy: AnyKey.self, forKey: key), child)
    case 6:
      var child = model[key.stringValue] ?? Model()
      if case .array = child.content {} else if child.isNested { return } else { child = Model() }
      child.isNested = true
      model[key.stringValue] = child
      open(maps[map].container.nestedUnkeyedContainer(forKey: key), child)
    case 7:
      let script = nested()
      guard model[key.stringValue]?.isNested != true else { return }
      script.model.isNested = true
      model[key.stringValue] = script.model
      try script.encode(to: maps[map].container.superEncoder(forKey: key))
    default:
      guard depth < 3 else { return }
      let script = nested()
      try maps[map].container.encode(script, forKey: key)
      model[key.stringValue] = script.model
    }
  }

  private mutating func append(to array: Int) throws {
    let model = arrays[array].model
    switch random.below(8) {
    case 0...2:
      let text = text()
      try arrays[array].container.encode(text)
      model.append(Model(.string(text)))
    case 3:
      try arrays[array].container.encode(["key 1": 1])
      model.append(Model(["key 1": 1]))
    case 4: givingUp { try arrays[array].container.encode([Failing()]) }
    case 5:
      let child = Model()
      model.append(child)
      open(arrays[array].container.nestedContainer(keyedBy: AnyKey.self), child)
    case 6:
      let child = Model()
      model.append(child)
      open(arrays[array].container.nestedUnkeyedContainer(), child)
    default:
      guard depth < 3 else { return }
      let script = nested()
      try arrays[array].container.encode(script)
      model.append(script.model)
    }
  }
}
