/// Takes note of the boxes that are made while a model's `init()` runs.
///
/// This is how the boxes of an instance are found without a `Mirror`, which takes longer than reading the model does. Which
/// box is whose is found out with a mirror once for each type; see ``ModelLayout``.
final class FieldCollector {
  private static let current = ThreadValue()

  /// In the order in which they were made.
  private(set) var boxes = ContiguousArray<AnyObject>()
  /// What the fields declare, when that is to be found out.
  private(set) var declarations: [any FieldAccess] = []
  private let isRecording: Bool
  /// Whether a default value is being made, whose own fields are none of the model.
  private var isPaused = false

  init(capacity: Int) {
    isRecording = false
    boxes.reserveCapacity(capacity)
  }

  init(recording: Void) {
    isRecording = true
  }

  /// Calls a model's initializer.
  func collect<Result>(_ make: () -> Result) -> Result {
    let outer = FieldCollector.current.pointer
    FieldCollector.current.pointer = Unmanaged.passUnretained(self).toOpaque()
    defer { FieldCollector.current.pointer = outer }
    return make()
  }

  /// Makes the box of a field, noting it if a model is being made to be filled.
  static func box<Value>(_ value: () -> Value, declaring declaration: () -> any FieldAccess) -> FieldBox<Value> {
    // The pointer was set by a call of `collect` that has not returned, to the object that it is a method of.
    guard let pointer = current.pointer else { return FieldBox(value()) }
    let collector = Unmanaged<FieldCollector>.fromOpaque(pointer).takeUnretainedValue()
    guard !collector.isPaused else { return FieldBox(value()) }
    collector.isPaused = true
    let box = FieldBox(value())
    collector.isPaused = false
    collector.boxes.append(box)
    if collector.isRecording { collector.declarations.append(declaration()) }
    return box
  }
}
