/// Collects the boxes that a model's `init()` creates. A `Mirror` takes longer than reading the model. It is used once
/// for each type, to find out which field each box belongs to; see ``ModelLayout``.
@usableFromInline final class FieldCollector {
  private static let current = ThreadValue()

  /// The boxes in the order of their creation.
  private(set) var boxes = ContiguousArray<AnyObject>()
  /// The declarations of the fields, if they are being collected.
  private(set) var declarations: [any FieldAccess] = []
  private let isRecording: Bool
  /// Whether a value of a declaration is being created. Its own fields do not belong to the model.
  private var isPaused = false

  init(capacity: Int) {
    isRecording = false
    boxes.reserveCapacity(capacity)
  }

  init(recording: Void) { isRecording = true }

  func collect<Result>(_ make: () -> Result) -> Result {
    let outer = FieldCollector.current.pointer
    FieldCollector.current.pointer = Unmanaged.passUnretained(self).toOpaque()
    defer { FieldCollector.current.pointer = outer }
    return make()
  }

  /// Calls a model's initializer without recording anything, not even in the collector of an enclosing model.
  static func pausing<Result>(_ make: () -> Result) -> Result {
    let outer = current.pointer
    guard outer != nil else { return make() }
    current.pointer = nil
    defer { current.pointer = outer }
    return make()
  }

  /// Whether a box is shared only with the collector of a model that is being created.
  @usableFromInline static func isHolding(_ box: AnyObject) -> Bool {
    guard let pointer = current.pointer else { return false }
    return Unmanaged<FieldCollector>.fromOpaque(pointer).takeUnretainedValue().boxes.contains { $0 === box }
  }

  /// The collector of boxes that are created on this thread, if any.
  @usableFromInline static func open() -> FieldCollector? {
    // The pointer was set by a call of `collect` that has not returned, and refers to the object of that call.
    guard let pointer = current.pointer else { return nil }
    let collector = Unmanaged<FieldCollector>.fromOpaque(pointer).takeUnretainedValue()
    guard !collector.isPaused else { return nil }
    collector.isPaused = true
    return collector
  }

  /// Records a box and, if declarations are being collected, that of its field.
  @usableFromInline func close(_ box: AnyObject, _ declaration: () -> AnyObject) {
    boxes.append(box)
    // The value for invalid input may be a model, too. Its fields do not belong to this one.
    if isRecording, let declaration = declaration() as? any FieldAccess { declarations.append(declaration) }
    isPaused = false
  }
}
