extension ArchiveValue {
  /// Runs a function that goes down into the value, on a thread with the stack for it where that is much.
  ///
  /// Where there is no memory for such a stack, the caller's has to do.
  package func withDeepStack<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard isNested(deeperThan: DeepStack.shallowDepth) else { return try body() }
    let outcome: Swift.Result<Result, Failure>
    do {
      outcome = try DeepStack.run(depth: nesting) {
        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
      }
    } catch {
      return try body()
    }
    return try outcome.get()
  }

  /// The number of levels at which values stand in each other, found without recursion.
  ///
  /// - Complexity: O(*n*) in the number of values.
  private var nesting: Int {
    var deepest = 0
    var open = [(value: self, depth: 0)]
    while let (value, depth) = open.popLast() {
      deepest = max(deepest, depth)
      switch value {
      case .array(let elements), .set(let elements): for element in elements { open.append((element, depth + 1)) }
      case .object(let object): for field in object.fields { open.append((field.value, depth + 1)) }
      case .map(let pairs):
        for pair in pairs {
          open.append((pair.key, depth + 1))
          open.append((pair.value, depth + 1))
        }
      case .named(_, _, let value), .tagged(_, let value): open.append((value, depth + 1))
      default: break
      }
    }
    return deepest
  }

  /// Whether values stand in each other more deeply than a limit. Looks no deeper than that.
  ///
  /// - Complexity: O(*n*) in the number of values.
  func isNested(deeperThan limit: Int) -> Bool {
    if limit < 0 { return true }
    switch self {
    case .array(let elements), .set(let elements):
      return elements.contains { $0.isNested(deeperThan: limit - 1) }
    case .object(let object):
      return object.fields.contains { $0.value.isNested(deeperThan: limit - 1) }
    case .map(let pairs):
      return pairs.contains { $0.key.isNested(deeperThan: limit - 1) || $0.value.isNested(deeperThan: limit - 1) }
    case .named(_, _, let value), .tagged(_, let value):
      return value.isNested(deeperThan: limit - 1)
    default:
      return false
    }
  }
}
