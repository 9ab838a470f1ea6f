extension ArchiveValue {
  /// Runs a function that goes down into the value, on a thread with the stack for it where there is memory for that.
  package func withDeepStack(_ body: () -> Void) {
    let depth = nesting
    guard depth > DeepStack.shallowDepth else { return body() }
    do {
      try DeepStack.run(depth: depth, body)
    } catch {
      body()
    }
  }

  /// The number of levels of nested values, found without recursion; O(*n*) in the number of values.
  private var nesting: Int {
    var deepest = 0
    var open = [(value: self, depth: 0)]
    while let (value, depth) = open.popLast() {
      let parts = value.parts
      guard !parts.isEmpty else { continue }
      deepest = max(deepest, depth + 1)
      // Values that hold no others are left out: there may be millions.
      for part in parts where part.holdsOthers { open.append((part, depth + 1)) }
    }
    return deepest
  }

  private var parts: [ArchiveValue] {
    switch self {
    case .array(let elements), .set(let elements): elements
    case .object(let object): object.fields.map(\.value)
    case .map(let pairs): pairs.flatMap { [$0.key, $0.value] }
    case .named(_, _, let value), .tagged(_, let value): [value]
    default: []
    }
  }

  private var holdsOthers: Bool {
    switch self {
    case .array, .set, .object, .map, .named, .tagged: true
    default: false
    }
  }
}
