// What a migration does to a stored object, beyond setting, removing and renaming single fields.

extension ArchiveObject {
  /// The value at a path of names, through the objects that stand in each other; `nil` where there is none.
  ///
  /// Setting a value makes the objects on the way that are not there; one that stands in the way, and is not an object,
  /// is replaced by one. Setting `nil` removes the field at the end of the path.
  ///
  /// ```swift
  /// object["address", "city"] = "Hamburg"
  /// ```
  public subscript(name: String, next: String, rest: String...) -> ArchiveValue? {
    get { self[path: [name, next] + rest] }
    set { self[path: [name, next] + rest] = newValue }
  }

  /// The value at a path of names; `nil` where there is none, and for an empty path.
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
      var nested = self[name]?.object ?? ArchiveObject()
      nested[path: Array(path.dropFirst())] = newValue
      self[name] = .object(nested)
    }
  }

  /// Moves a value to another place, in this object or in objects that stand in it.
  ///
  /// ```swift
  /// object.move("city", to: "address", "town")
  /// ```
  ///
  /// Nothing happens where there is no value. Objects on the way to the new place are made if they are not there; a
  /// value that stands in the new place is replaced.
  ///
  /// - Parameters:
  ///   - path: The names on the way to the value.
  ///   - newPath: The names on the way to its new place.
  public mutating func move(_ path: String..., to newPath: String...) {
    guard path != newPath, !newPath.isEmpty, let value = self[path: path] else { return }
    self[path: path] = nil
    self[path: newPath] = value
  }

  /// Puts what a function makes of a value in its place. Nothing happens where there is no value.
  ///
  /// ```swift
  /// object.transform("price") { price in .double((price.double ?? 0) / 100) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The names on the way to the value.
  ///   - body: The function; where it returns `nil`, the field is removed.
  /// - Throws: What the function throws; nothing is changed then.
  public mutating func transform(
    _ path: String..., with body: (ArchiveValue) throws -> ArchiveValue?
  ) rethrows {
    guard let value = self[path: path] else { return }
    self[path: path] = try body(value)
  }

  /// Changes the object under a field.
  ///
  /// ```swift
  /// try object.updateObject("address") { address in address.rename("zip", to: "postalCode") }
  /// ```
  ///
  /// Nothing happens where there is no value, or null.
  ///
  /// - Parameters:
  ///   - path: The names on the way to the object.
  ///   - body: What to do with it.
  /// - Throws: What the function throws; ``KeyedArchiveError`` with code `migrationFailed` for a value that is no
  ///   object. Nothing is changed then.
  public mutating func updateObject(_ path: String..., with body: (inout ArchiveObject) throws -> Void) throws {
    guard var value = self[path: path] else { return }
    try value.updateObject(at: path, body)
    self[path: path] = value
  }

  /// Changes all objects in the array, set or dictionary under a field, and in arrays inside it.
  ///
  /// ```swift
  /// try object.updateObjects(in: "rooms") { room in room.rename("size", to: "area") }
  /// ```
  ///
  /// Nothing happens where there is no value, and with null in place of an object.
  ///
  /// - Parameters:
  ///   - path: The names on the way to the collection.
  ///   - body: What to do with each object.
  /// - Throws: What the function throws; ``KeyedArchiveError`` with code `migrationFailed` for a value that is no
  ///   collection of objects. Nothing is changed then.
  public mutating func updateObjects(
    in path: String..., with body: (inout ArchiveObject) throws -> Void
  ) throws {
    guard var value = self[path: path] else { return }
    try value.updateElements(at: path, body)
    self[path: path] = value
  }
}

extension ArchiveValue {
  fileprivate mutating func updateObject(at path: [String], _ body: (inout ArchiveObject) throws -> Void) throws {
    switch self {
    case .null: break
    case .object(var object):
      try body(&object)
      self = .object(object)
    default: throw wrongShape(at: path, wanted: "an object")
    }
  }

  fileprivate mutating func updateElements(at path: [String], _ body: (inout ArchiveObject) throws -> Void) throws {
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

  /// An element is an object, or an array of them. Not inlined, to have no copy of it for each kind of collection.
  @inline(never)
  private mutating func updateElement(at path: [String], _ body: (inout ArchiveObject) throws -> Void) throws {
    if case .array = self { return try updateElements(at: path, body) }
    try updateObject(at: path, body)
  }

  private func wrongShape(at path: [String], wanted: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .migrationFailed, "The field \(path.joined(separator: ".")) is not \(wanted): it holds \(diagnostic.prefix(80)).")
  }
}
