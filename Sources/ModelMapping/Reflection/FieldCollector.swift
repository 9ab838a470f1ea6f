/// Collects the boxes that are made while a model's `init()` runs. A `Mirror` takes longer than reading the model does;
/// it is used once for each type, to find out which box is whose; see ``ModelLayout``.
@usableFromInline
final class FieldCollector {
  private static let current = ThreadValue()

  /// In the order in which they were made.
  private(set) var boxes = ContiguousArray<AnyObject>()
  /// The declarations of the fields, if they are being collected.
  private(set) var declarations: [any FieldAccess] = []
  private let isRecording: Bool
  /// Whether a default value is being made, whose own fields are none of the model's.
  private var isPaused = false

  init(capacity: Int) {
    isRecording = false
    boxes.reserveCapacity(capacity)
  }

  init(recording: Void) {
    isRecording = true
  }

  func collect<Result>(_ make: () -> Result) -> Result {
    let outer = FieldCollector.current.pointer
    FieldCollector.current.pointer = Unmanaged.passUnretained(self).toOpaque()
    defer { FieldCollector.current.pointer = outer }
    return make()
  }

  /// Calls a model's initializer so that nothing is recorded, not even by the collector of a model around it.
  static func pausing<Result>(_ make: () -> Result) -> Result {
    let outer = current.pointer
    guard outer != nil else { return make() }
    current.pointer = nil
    defer { current.pointer = outer }
    return make()
  }

  /// Whether a box is shared only because a model is being made and its collector has the box too.
  @usableFromInline
  static func isHolding(_ box: AnyObject) -> Bool {
    guard let pointer = current.pointer else { return false }
    return Unmanaged<FieldCollector>.fromOpaque(pointer).takeUnretainedValue().boxes.contains { $0 === box }
  }

  /// The collector of boxes that are created on this thread, if any.
  @usableFromInline
  static func open() -> FieldCollector? {
    // The pointer was set by a call of `collect` that has not returned, to the object that it is a method of.
    guard let pointer = current.pointer else { return nil }
    let collector = Unmanaged<FieldCollector>.fromOpaque(pointer).takeUnretainedValue()
    guard !collector.isPaused else { return nil }
    collector.isPaused = true
    return collector
  }

  /// Records a box, and what its field declares if that is to be found out.
  @usableFromInline
  func close(_ box: AnyObject, _ declaration: () -> AnyObject) {
    isPaused = false
    boxes.append(box)
    if isRecording, let declaration = declaration() as? any FieldAccess { declarations.append(declaration) }
  }
}
