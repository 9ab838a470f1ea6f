/// The stored properties of a model as a mirror shows them. Only this type uses mirrors.
struct ModelMirror {
  struct Field {
    let name: String
    let box: AnyObject
    /// The offset of the box's address in the field, if the value is in a box.
    let offsetOfBox: Int?
  }

  /// The fields, those of the topmost class first.
  let fields: [Field]
  /// The names of properties without a wrapper that were probably meant to be read and written.
  let plainProperties: [String]
  /// Whether the type has a custom mirror instead of its properties.
  let isCustom: Bool
  /// Whether the type is an enumeration, whose cases would all be written as an empty object.
  let isEnum: Bool

  init(_ model: some Model) {
    let levels = Array(sequence(first: Mirror(reflecting: model), next: \.superclassMirror))
    var fields: [Field] = []
    var plainProperties: [String] = []
    for child in levels.reversed().flatMap(\.children) {
      guard let label = child.label.map(ModelMirror.identifier) else { continue }
      if let storage = child.value as? any FieldStorage {
        // The name of a wrapper's storage begins with an underscore.
        let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
        fields.append(Field(name: name, box: storage.anyBox, offsetOfBox: storage.offsetOfBox))
      } else if !label.hasPrefix("$"), !label.hasPrefix("_$"), type(of: child.value) is any Encodable.Type {
        // The compiler, a macro or `lazy` adds names that begin with a dollar sign.
        plainProperties.append(label.hasPrefix("_") ? String(label.dropFirst()) : label)
      }
    }
    self.fields = fields
    self.plainProperties = plainProperties
    isCustom = model is any CustomReflectable
    isEnum = levels.first?.displayStyle == .enum
  }

  /// Returns an identifier as in the program. A mirror shows a raw one in backticks, with no-break spaces.
  private static func identifier(_ label: String) -> String {
    label.hasPrefix("`") ? String(label.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 }) : label
  }
}
