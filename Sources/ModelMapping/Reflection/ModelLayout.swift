import CodingSupport

/// The description of a model's type: its fields, their boxes, and the trees of keys for reading and writing. It is
/// created from an instance at the type's first use, and kept for the lifetime of the process.
final class ModelLayout: Sendable {
  struct Property: Sendable {
    let name: String
    let access: any FieldAccess
    /// The index of the field's box among those that `init()` creates.
    let slot: Int
    /// Whether `init()` sets it to `nil`.
    let startsNil: Bool
  }

  let type: String
  /// The properties, those of the topmost class first.
  let properties: ContiguousArray<Property>
  /// The number of boxes that `init()` creates, including those of temporary models.
  let boxCount: Int
  let keepsUnknownFields: Bool
  private let fieldFinder: FieldFinder
  private let jsonKeys: KeyTree
  private let storedKeys: KeyTree

  private static let known = Locked<[ObjectIdentifier: ModelLayout]>([:])

  /// Returns the layout of a model's type. Throws `invalidDeclaration` each time if the declaration is invalid.
  static func of<M: Model>(_ type: M.Type) throws -> ModelLayout {
    let id = ObjectIdentifier(type)
    if let known = known.withLock({ $0[id] }) { return known }
    // Created without the lock, because the model's initializer may use other models. If two threads create it, each
    // uses its own, and one of the two is kept.
    let made = try ModelLayout(type)
    known.withLock { $0[id] = made }
    return made
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
        problems.append("\(field.name) is not created by init()")
        continue
      }
      let access = collector.declarations[slot]
      properties.append(
        Property(name: field.name, access: access, slot: slot, startsNil: access.isNil(.box(field.box))))
    }
    if mirror.isCustom || mirror.fields.isEmpty, properties.count < collector.boxes.count {
      problems.append("a custom mirror, or a build without reflection metadata, hides its properties")
    }
    if mirror.isEnum { problems.append("an enum has no fields; let it conform to Codable instead of Model") }
    for name in mirror.plainProperties {
      problems.append("\(name) is neither a @Field nor @Ignored, and would be lost")
    }
    jsonKeys = KeyTree(properties, .json, &problems)
    storedKeys = KeyTree(properties, .stored, &problems)
    guard problems.isEmpty else {
      var reported = Set<String>()
      throw ModelError(
        .invalidDeclaration,
        "\(type) cannot be used: \(problems.filter { reported.insert($0).inserted }.joined(separator: "; ")).")
    }
    self.properties = properties
    boxCount = collector.boxes.count
    keepsUnknownFields = properties.contains { $0.access.keepsUnknownFields }
    fieldFinder = FieldFinder(prototype, mirror)
  }

  private func keys(_ keys: ModelKeys) -> KeyTree { keys == .json ? jsonKeys : storedKeys }

  // MARK: Reading

  func read<M: Model>(_ type: M.Type, from decoder: any Decoder) throws -> M {
    // A cast that fails takes several times as long as this comparison.
    let direct = Swift.type(of: decoder) == JSONValueDecoder.self ? nil : decoder as? any TextFieldsDecoder
    let context = DecodingContext(decoder, direct: direct)
    if fieldFinder.fillsInPlace {
      var model = FieldCollector.pausing { type.init() }
      try fieldFinder.withLocations(toFill: &model) { try fill($0, from: decoder, direct, context) }
      return model
    }
    let collector = FieldCollector(capacity: boxCount)
    let model = collector.collect { type.init() }
    guard collector.boxes.count == boxCount else { throw changing(boxCount, collector.boxes.count) }
    let boxes = ContiguousArray(properties.map { collector.boxes[$0.slot] })
    assert(matches(model, boxes), "\(self.type).init() creates its fields in a different order each time")
    try fill(FieldLocations(boxes), from: decoder, direct, context)
    return model
  }

  private func fill(
    _ locations: FieldLocations, from decoder: any Decoder, _ direct: (any TextFieldsDecoder)?,
    _ context: DecodingContext
  ) throws {
    // Only storage has unknown fields next to the known ones.
    let keepsUnknownFields = keepsUnknownFields && context.keys == .stored
    let reader = try FieldReader(locations, decoder, direct, context, keepsUnknownFields: keepsUnknownFields)
    try reader.read(keys(context.keys))
  }

  private func matches(_ model: some Model, _ boxes: ContiguousArray<AnyObject>) -> Bool {
    let fields = ModelMirror(model).fields
    return fields.count == boxes.count && fields.indices.allSatisfy { fields[$0].box === boxes[$0] }
  }

  private func changing(_ count: Int, _ other: Int) -> ModelError {
    ModelError(
      .invalidDeclaration,
      "\(type) cannot be used: the number of fields of its init() changed from \(count) to \(other).")
  }

  // MARK: Writing

  func write(_ model: some Model, to encoder: any Encoder) throws {
    let direct = textFields(of: encoder)
    let isOnlyStorage = direct?.isOnlyStorage == true
    let userInfo = isOnlyStorage ? [:] : encoder.userInfo
    let keys = isOnlyStorage ? .stored : userInfo.modelKeys
    // In storage, unknown fields are next to the known ones; elsewhere they are a separate object.
    let isStorage = isOnlyStorage || userInfo.isStorage
    try fieldFinder.withLocations(of: model) { locations in
      guard locations.count == properties.count else { throw changing(properties.count, locations.count) }
      if !isStorage { try NestingDepth.check() }
      var container = encoder.container(keyedBy: FieldKey.self)
      try FieldWriter(locations: locations, keys: keys, isStorage: isStorage, direct: direct)
        .write(self.keys(keys), into: &container)
    }
  }
}

/// Returns the fields of an encoder if they can be written without a container. Generic, because a cast of an
/// existential takes twice as long.
private func textFields<E: Encoder>(of encoder: E) -> NewTextFields? {
  // A cast that fails takes several times as long. Foundation's encoders are objects, and that of the archive is not.
  E.self is AnyObject.Type ? nil : (encoder as? any TextFieldsEncoder)?.textFields
}
