/// The fields of a stored object, in order, with the tag of its type if one is stored.
///
/// A migration edits an old object in this form, without the old type:
///
/// ```swift
/// object["habits"] = []
/// object.rename("books", to: "favoriteBooks")
/// ```
public struct ArchiveObject: Sendable {
  /// The tag of the object's type, or `nil` for a plain dictionary or an object whose type is known from its position.
  public var tag: ArchiveTag?

  /// The version of the stored form; 1 unless the type declared another.
  public var version: Int

  /// The fields in stored order. Their names are unique.
  public private(set) var fields: [Field]

  /// The indices of the fields by name. `nil` for a few fields, which are found faster by a linear search.
  private var indices: [ExactText: Int]?

  private static var indexedCount: Int { 8 }

  /// A name and its value.
  public struct Field: Sendable {
    /// The name.
    public let name: String

    /// The value.
    public var value: ArchiveValue
  }

  /// Creates an object without fields.
  public init(tag: ArchiveTag? = nil, version: Int = 1) {
    self.tag = tag
    self.version = version
    fields = []
  }

  /// Creates an object with fields. Returns `nil` if two of them have the same name.
  init?(fields: [Field]) {
    self.init()
    self.fields = fields
    reindex()
    guard fields.indices.allSatisfy({ index(of: fields[$0].name) == $0 }) else { return nil }
  }

  private func index(of name: String) -> Int? {
    guard let indices else { return fields.firstIndex { $0.name.hasSameBytes(as: name) } }
    // The index of a renamed field also stays under its former name, because removing it would take more code.
    return indices[ExactText(name)].flatMap { fields[$0].name.hasSameBytes(as: name) ? $0 : nil }
  }

  /// The value of a field. Setting a value replaces the value of the field or adds the field at the end. Setting `nil`
  /// removes the field.
  ///
  /// - Complexity: O(1). Removing a field is O(*n*) in the number of fields.
  public subscript(name: String) -> ArchiveValue? {
    get { index(of: name).map { fields[$0].value } }
    set {
      guard let newValue else {
        remove(name)
        return
      }
      if let index = index(of: name) {
        fields[index].value = newValue
      } else {
        fields.append(Field(name: name, value: newValue))
        if indices == nil { reindex() } else { indices?[ExactText(name)] = fields.count - 1 }
      }
    }
  }

  /// Removes a field. Returns its value, or `nil` if there was no such field.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  @discardableResult
  public mutating func remove(_ name: String) -> ArchiveValue? {
    guard let index = index(of: name) else { return nil }
    let value = fields.remove(at: index).value
    reindex()
    return value
  }

  /// Renames a field, which keeps its position. A field that already has the new name is replaced.
  ///
  /// Nothing happens if there is no field with the old name.
  ///
  /// - Complexity: O(1). Replacing a field is O(*n*) in the number of fields.
  public mutating func rename(_ name: String, to newName: String) {
    guard !name.hasSameBytes(as: newName), index(of: name) != nil else { return }
    remove(newName)
    guard let index = index(of: name) else { return }
    fields[index] = Field(name: newName, value: fields[index].value)
    indices?[ExactText(newName)] = index
  }

  private mutating func reindex() {
    indices = nil
    guard fields.count > ArchiveObject.indexedCount else { return }
    var indices = [ExactText: Int](minimumCapacity: fields.count)
    for (index, field) in fields.enumerated() { indices[ExactText(field.name)] = index }
    self.indices = indices
  }
}

extension ArchiveObject: Hashable {
  public static func == (left: ArchiveObject, right: ArchiveObject) -> Bool {
    left.tag == right.tag && left.version == right.version && left.fields == right.fields
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(tag)
    hasher.combine(version)
    hasher.combine(fields)
  }
}

extension ArchiveObject.Field: Hashable {
  /// Returns whether two fields have equal values, and names with equal bytes, which is stricter than equality in
  /// Swift.
  public static func == (left: ArchiveObject.Field, right: ArchiveObject.Field) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }
}

// The edits of a migration to a stored object, other than setting, removing and renaming single fields.

extension ArchiveObject {
  /// The value at a path of names, through nested objects, or `nil` if there is none.
  ///
  /// Setting a value creates the missing objects along the path. A value along the path that is not an object is
  /// replaced by one. Setting `nil` removes the field at the end of the path.
  ///
  /// ```swift
  /// object["address", "city"] = "Hamburg"
  /// ```
  @_alwaysEmitIntoClient
  public subscript(name: String, next: String, rest: String...) -> ArchiveValue? {
    get { self[path: [name, next] + rest] }
    set { self[path: [name, next] + rest] = newValue }
  }

  /// The value at a path of names, or `nil` if there is none or the path is empty.
  @_alwaysEmitIntoClient
  public subscript(path path: [String]) -> ArchiveValue? {
    get {
      guard let name = path.first else { return nil }
      return path.count == 1 ? self[name] : self[name]?.object?[path: Array(path.dropFirst())]
    }
    set {
      guard let name = path.first else { return }
      guard path.count > 1 else {
        self[name] = newValue
        return
      }
      guard newValue != nil || self[name]?.object != nil else { return }
      var nested = ArchiveObject()
      if case .object(let value)? = self[name] { nested = value }
      self[name] = .null  // Otherwise, setting the nested field would copy all others.
      nested[path: Array(path.dropFirst())] = newValue
      self[name] = .object(nested)
    }
  }

  /// Moves a value to another path, in this object or in objects nested in it.
  ///
  /// ```swift
  /// object.move("city", to: "address", "town")
  /// ```
  ///
  /// Nothing happens if there is no value. Missing objects along the new path are created. A value that is already at
  /// the new path is replaced.
  ///
  /// - Parameters:
  ///   - path: The names that lead to the value.
  ///   - newPath: The names that lead to the new position of the value.
  /// - Complexity: O(*n*) in the number of fields of the object that has the value.
  @_alwaysEmitIntoClient
  public mutating func move(_ path: String..., to newPath: String...) {
    guard path != newPath, !newPath.isEmpty, let value = self[path: path] else { return }
    self[path: path] = nil
    self[path: newPath] = value
  }

  /// Replaces a value with the result of a function. Nothing happens if there is no value.
  ///
  /// ```swift
  /// object.transform("price") { price in .double((price.double ?? 0) / 100) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The names that lead to the value.
  ///   - body: The function. If it returns `nil`, the field is removed.
  /// - Throws: Any error that the function throws. Nothing is changed then.
  @_alwaysEmitIntoClient
  public mutating func transform(_ path: String..., with body: (ArchiveValue) throws -> ArchiveValue?) rethrows {
    guard let value = self[path: path] else { return }
    self[path: path] = try body(value)
  }

  /// Updates the object in a field.
  ///
  /// ```swift
  /// try object.updateObject("address") { address in address.rename("zip", to: "postalCode") }
  /// ```
  ///
  /// Nothing happens if there is no value or the value is null.
  ///
  /// - Parameters:
  ///   - path: The names that lead to the object.
  ///   - body: The function that updates the object.
  /// - Throws: Any error that the function throws, or ``KeyedArchiveError`` with code `migrationFailed` if the value is
  ///   not an object. Nothing is changed then.
  @_alwaysEmitIntoClient
  public mutating func updateObject(_ path: String..., with body: (inout ArchiveObject) throws -> Void) throws {
    guard var value = self[path: path] else { return }
    try value.updateObject(at: path, body)
    self[path: path] = value
  }

  /// Updates all objects in the array, set or dictionary in a field, and in arrays inside it.
  ///
  /// ```swift
  /// try object.updateObjects(in: "rooms") { room in room.rename("size", to: "area") }
  /// ```
  ///
  /// Nothing happens if there is no value. A null in place of an object is left as it is.
  ///
  /// - Parameters:
  ///   - path: The names that lead to the collection.
  ///   - body: The function that updates each object.
  /// - Throws: Any error that the function throws, or ``KeyedArchiveError`` with code `migrationFailed` if the value is
  ///   not a collection of objects. Nothing is changed then.
  @_alwaysEmitIntoClient
  public mutating func updateObjects(in path: String..., with body: (inout ArchiveObject) throws -> Void) throws {
    guard var value = self[path: path] else { return }
    try value.updateElements(at: path, body)
    self[path: path] = value
  }
}

extension ArchiveValue {
  @_alwaysEmitIntoClient
  mutating func updateObject(at path: [String], _ body: (inout ArchiveObject) throws -> Void) throws {
    switch self {
    case .null: break
    case .object(var object):
      try body(&object)
      self = .object(object)
    default: throw wrongShape(at: path, wanted: "an object")
    }
  }

  @_alwaysEmitIntoClient
  mutating func updateElements(at path: [String], _ body: (inout ArchiveObject) throws -> Void) throws {
    // The elements, and their names for messages.
    var elements: [ArchiveValue]
    var names: [String]?
    switch self {
    case .null: return
    case .array(let values), .set(let values): elements = values
    case .map(let pairs): (elements, names) = (pairs.map(\.value), pairs.map(\.key.diagnostic))
    case .object(let object): (elements, names) = (object.fields.map(\.value), object.fields.map(\.name))
    default: throw wrongShape(at: path, wanted: "a collection of objects")
    }
    for index in elements.indices {
      try elements[index].updateElement(at: path + [names?[index] ?? "\(index)"], body)
    }
    switch self {
    case .set: self = .set(elements)
    case .map(var pairs):
      for index in pairs.indices { pairs[index].value = elements[index] }
      self = .map(pairs)
    case .object(var object):
      for (index, field) in object.fields.enumerated() { object[field.name] = elements[index] }
      self = .object(object)
    default: self = .array(elements)
    }
  }

  /// Updates an element, which is an object or an array of them. Not inlined, to avoid a copy for each kind of
  /// collection.
  @inline(never)
  @_alwaysEmitIntoClient
  mutating func updateElement(at path: [String], _ body: (inout ArchiveObject) throws -> Void) throws {
    if case .array = self { return try updateElements(at: path, body) }
    try updateObject(at: path, body)
  }

  @usableFromInline func wrongShape(at path: [String], wanted: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .migrationFailed, "The field \(path.joined(separator: ".")) is not \(wanted): it holds \(diagnostic.prefix(80)).")
  }
}
