extension ArchiveValue {
  /// Runs a function that descends into the value, on a thread with a large enough stack if there is memory for it.
  package func withDeepStack(_ body: () -> Void) {
    let depth = nesting
    guard depth > DeepStack.shallowDepth else { return body() }
    do {
      try DeepStack.run(depth: depth, body)
    } catch {
      body()
    }
  }

  /// The number of levels of nested values, computed without recursion. Takes O(*n*) time in the number of values.
  private var nesting: Int {
    var deepest = 0
    var open = [(value: self, depth: 0)]
    while let (value, depth) = open.popLast() {
      let parts = value.parts
      guard !parts.isEmpty else { continue }
      deepest = max(deepest, depth + 1)
      // Values that contain no others are left out, because there may be millions of them.
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
