import CodingSupport

/// What is known about a model's type: its fields, which box is whose, and the trees of keys that they are read and
/// written by.
///
/// It is made at the type's first use from an instance that is made for it, and kept for the life of the process.
final class ModelLayout: Sendable {
  struct Property: Sendable {
    let name: String
    let access: any FieldAccess
    /// The place of the field's box among those that an `init()` makes.
    let slot: Int
  }

  let type: String
  /// Those of the topmost class come first.
  let properties: ContiguousArray<Property>
  /// The number of boxes that an `init()` makes, with those of other models that it makes and drops.
  let boxCount: Int
  private let boxFinder: BoxFinder
  private let jsonKeys: KeyTree
  private let storedKeys: KeyTree

  private static let known = Locked<[ObjectIdentifier: Result<ModelLayout, ModelError>]>([:])

  /// The layout of a model's type.
  ///
  /// - Throws: ``ModelError`` with code `invalidDeclaration`, every time.
  static func of<M: Model>(_ type: M.Type) throws -> ModelLayout {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return try known.get() }
    // Made without the lock: the model's initializer may use other models. Two threads may both make it; all use one.
    let made = Result { () throws(ModelError) in try ModelLayout(type) }
    return try known.withLock { known in
      let layout = known[id] ?? made
      known[id] = layout
      return layout
    }.get()
  }

  private init<M: Model>(_ type: M.Type) throws(ModelError) {
    self.type = String(describing: type)
    let collector = FieldCollector(recording: ())
    let prototype = collector.collect { type.init() }
    let mirror = ModelMirror(prototype)
    var slots: [ObjectIdentifier: Int] = [:]
    for (slot, box) in collector.boxes.enumerated() { slots[ObjectIdentifier(box)] = slot }

    var problems: [String] = []
    var properties = ContiguousArray<Property>()
    for field in mirror.fields {
      guard let slot = slots[ObjectIdentifier(field.box)] else {
        problems.append("\(field.name) is not made by init()")
        continue
      }
      properties.append(Property(name: field.name, access: collector.declarations[slot], slot: slot))
    }
    if mirror.isCustom, properties.count < collector.boxes.count {
      problems.append("a custom mirror hides its properties")
    }
    for name in mirror.plainProperties {
      problems.append("\(name) is neither a @Field nor @Ignored, and would be lost")
    }
    jsonKeys = KeyTree(properties, .json, &problems)
    storedKeys = KeyTree(properties, .stored, &problems)
    guard problems.isEmpty else {
      var told = Set<String>()
      throw ModelError(
        .invalidDeclaration, "\(type) cannot be used: \(problems.filter { told.insert($0).inserted }.joined(separator: "; ")).")
    }
    self.properties = properties
    boxCount = collector.boxes.count
    boxFinder = BoxFinder(prototype, mirror.fields.map(\.box))
  }

  private func keys(_ keys: ModelKeys) -> KeyTree { keys == .json ? jsonKeys : storedKeys }

  // MARK: Reading

  /// Fills the boxes that an `init()` made.
  func fill(_ boxes: ContiguousArray<AnyObject>, from decoder: any Decoder, _ context: DecodingContext) throws {
    guard boxes.count == boxCount else {
      throw ModelError(
        .invalidDeclaration, "\(type) cannot be used: its init() makes \(boxCount) fields one time and \(boxes.count) another.")
    }
    let container = try decoder.container(keyedBy: FieldKey.self)
    let reader = FieldReader(layout: self, boxes: boxes, root: container, context: context)
    try reader.read(keys(context.keys), from: container)
  }

  /// Whether the boxes are those of a model in the order that is expected; for debug builds.
  func matches(_ model: some Model, _ boxes: ContiguousArray<AnyObject>) -> Bool {
    zip(properties, ModelMirror(model).fields).allSatisfy { property, field in
      property.slot < boxes.count && boxes[property.slot] === field.box && property.name == field.name
    }
  }

  // MARK: Writing

  /// The boxes of an instance, in the order of the properties.
  func boxes(of model: some Model) throws(ModelError) -> ContiguousArray<AnyObject> {
    let boxes = boxFinder.boxes(of: model)
    guard boxes.count == properties.count else {
      throw ModelError(
        .invalidDeclaration, "\(type) cannot be used: it has \(properties.count) fields one time and \(boxes.count) another.")
    }
    return boxes
  }

  func write(_ boxes: ContiguousArray<AnyObject>, to encoder: any Encoder) throws {
    let keys = ModelKeys(encoder.userInfo)
    var container = encoder.container(keyedBy: FieldKey.self)
    try write(self.keys(keys), boxes, into: &container, keys)
  }

  private func write(
    _ tree: KeyTree, _ boxes: ContiguousArray<AnyObject>, into container: inout KeyedEncodingContainer<FieldKey>,
    _ keys: ModelKeys
  ) throws {
    for leaf in tree.written {
      try properties[leaf.property].access.write(boxes[leaf.property], into: &container, leaf.key, keys)
    }
    for branch in tree.branches where branch.tree.isWritten {
      var nested = container.nestedContainer(keyedBy: FieldKey.self, forKey: branch.key)
      try write(branch.tree, boxes, into: &nested, keys)
    }
  }
}
