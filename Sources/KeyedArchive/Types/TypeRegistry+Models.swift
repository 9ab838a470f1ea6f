extension TypeRegistry {
  /// Returns whether a type is a program's own. Types of the standard library or Foundation, collections and wrappers
  /// are not.
  package func isModel(_ type: Any.Type) -> Bool {
    !(type is any CompositeType.Type) && !(type is any NamelessForm.Type) && !isStandard(tag(for: type))
  }

  /// Returns whether a type is only a container, whose contents determine its stored form: a collection, an optional,
  /// or a wrapper.
  package func isTransparent(_ type: Any.Type) -> Bool {
    type is any CompositeType.Type || type is any NamelessForm.Type
  }

  /// Returns whether a tag belongs to a type of the standard library or Foundation.
  package func isStandard(_ tag: ArchiveTag) -> Bool {
    TypeRegistry.standardType(named: tag.name) != nil
  }
}

/// A type of this module that is used between a coder and a program's own types, and has no name in archives.
protocol NamelessForm {}
