/// What a model's declarations say about the names that its fields have, and had, in storage.
package struct StoredFieldNames: Sendable {
  /// The former names of fields, by their names today. Fields in nested objects are not among them.
  package let former: [String: [String]]

  /// Whether fields that the model does not know are kept.
  package let keepsUnknownFields: Bool

  /// - Throws: ``ModelError`` for mistakes in the declaration.
  package init(of type: any Model.Type) throws {
    func layout<M: Model>(_ type: M.Type) throws -> ModelLayout { try ModelLayout.of(type) }
    let properties = try layout(type).properties
    var former: [String: [String]] = [:]
    for property in properties {
      let paths = property.access.paths
      guard let path = paths.path(.stored, ofProperty: property.name), path.count == 1 else { continue }
      let names = paths.former.map(\.components).filter { $0.count == 1 }.compactMap(\.first)
      if !names.isEmpty { former[path[0]] = names }
    }
    self.former = former
    keepsUnknownFields = properties.contains { $0.access.keepsUnknownFields }
  }
}
