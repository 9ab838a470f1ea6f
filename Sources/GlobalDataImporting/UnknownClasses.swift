public import GlobalData

extension GlobalData {
  /// What an import makes of archived objects of a class that the class map does not name.
  public enum UnknownClasses: Sendable {
    /// They cannot be read: the import fails, or leaves out the entries that hold them.
    case refuse

    /// They become trees: an `ArchiveValue.object` with the name of the class as its tag, and all of the object's
    /// fields under their archived names. The tag of a Swift class is its name without the module.
    ///
    /// An object that stands in several places is copied into each of them. A reference from inside of an object back
    /// to itself, such as that of a child to its parent, becomes null, and the report tells how often.
    case keepAsTrees
  }
}
