/// The fields that a model keeps in storage, as declared.
package struct ModelFields: Sendable {
  /// A field that is both written and read.
  package struct Field: Sendable {
    package let path: [String]
    package let formerPaths: [[String]]
    /// The type of its values; `nil` if storage has them in a converter's form.
    package let type: Any.Type?
  }

  package let fields: [Field]

  package let keepsUnknownFields: Bool

  /// - Throws: ``ModelError`` for mistakes in the declaration.
  package init(of type: any Model.Type) throws {
    func layout<M: Model>(_ type: M.Type) throws -> ModelLayout { try ModelLayout.of(type) }
    let layout = try layout(type)
    fields = layout.properties.compactMap { property in
      let access = property.access
      guard let path = access.paths.path(.stored, ofProperty: property.name), !access.keepsUnknownFields,
        access.options.isDisjoint(with: [.readOnly, .writeOnly])
      else { return nil }
      return Field(path: path, formerPaths: access.paths.former.map(\.components), type: access.storedType)
    }
    keepsUnknownFields = layout.keepsUnknownFields
  }
}
