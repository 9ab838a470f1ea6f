/// The fields of a stored object, in order, with the tag of its type where that is stored.
///
/// A migration edits an old object in this form, without the old type:
///
/// ```swift
/// object["habits"] = []
/// object.rename("books", to: "favoriteBooks")
/// ```
public struct ArchiveObject: Sendable {
  /// The tag of the object's type, or `nil` for a plain dictionary or an object whose type its place tells.
  public var tag: ArchiveTag?

  /// The version of the stored form; 1 unless the type declared another.
  public var version: Int

  /// The fields in stored order. Their names are unique.
  public private(set) var fields: [Field]

  /// The indices of the fields by name; `nil` for a few fields, which are found faster by looking at each.
  private var indices: [ExactText: Int]?

  private static var indexedCount: Int { 8 }

  /// A name and its value.
  public struct Field: Sendable {
    /// The name.
    public let name: String

    /// The value.
    public var value: ArchiveValue
  }

  /// An object without fields.
  public init(tag: ArchiveTag? = nil, version: Int = 1) {
    self.tag = tag
    self.version = version
    fields = []
  }

  /// An object with fields, or `nil` where two of them have one name.
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

  /// The value of a field. Setting a value adds the field at the end or replaces its value; setting `nil` removes it.
  ///
  /// - Complexity: O(1), for removing O(*n*) in the number of fields.
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

  /// Removes a field and returns its value, or `nil` when there was none.
  @discardableResult
  public mutating func remove(_ name: String) -> ArchiveValue? {
    guard let index = index(of: name) else { return nil }
    let value = fields.remove(at: index).value
    reindex()
    return value
  }

  /// Gives a field another name, in its place; a field that had this name before is replaced.
  ///
  /// Nothing happens when there is no field of the old name.
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
  /// Names are equal when they are stored alike, which is more than being equal to Swift.
  public static func == (left: ArchiveObject.Field, right: ArchiveObject.Field) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }
}
