public import GlobalData

extension GlobalData {
  /// Determines how an import handles archived objects whose class is not in the class map.
  public enum UnknownClasses: Sendable {
    /// They cannot be read: the import fails, or skips the entries that contain them.
    case refuse

    /// They become trees: an `ArchiveValue.object` with the name of the class as its tag, and all of the object's
    /// fields under their archived names. The tag of a Swift class is its name without the module.
    ///
    /// Each use of an object becomes a separate copy. A reference from inside an object back to it, such as that of a
    /// child to its parent, becomes null, and the report counts these.
    case keepAsTrees
  }
}
