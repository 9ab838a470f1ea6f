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
    if let indices { return indices[ExactText(name)] }
    return fields.firstIndex { $0.name.hasSameBytes(as: name) }
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
  public mutating func rename(_ name: String, to newName: String) {
    guard !name.hasSameBytes(as: newName), let value = self[name] else { return }
    remove(newName)
    guard let index = index(of: name) else { return }
    fields[index] = Field(name: newName, value: value)
    reindex()
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
  /// Names are equal if their bytes are equal, which is stricter than equality in Swift.
  public static func == (left: ArchiveObject.Field, right: ArchiveObject.Field) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }
}
