extension TypeRegistry {
  /// Whether a type is a program's own: not of the standard library or Foundation, nor a collection or wrapper.
  package func isModel(_ type: Any.Type) -> Bool {
    !(type is any CompositeType.Type) && !(type is any NamelessForm.Type) && !isStandard(tag(for: type))
  }

  /// Whether a type only holds others, which tell what is stored: a collection, an optional, a wrapper.
  package func isTransparent(_ type: Any.Type) -> Bool {
    type is any CompositeType.Type || type is any NamelessForm.Type
  }

  /// Whether a tag is that of a type of the standard library or Foundation.
  package func isStandard(_ tag: ArchiveTag) -> Bool {
    TypeRegistry.standardType(named: tag.name) != nil
  }
}

/// A type of this module that stands between a coder and a program's own types, and has no name in archives.
protocol NamelessForm {}
