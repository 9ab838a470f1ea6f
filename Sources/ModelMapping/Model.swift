/// A value that is defined once and read from JSON, stored, and written as JSON again.
///
/// The initializer without arguments gives the value that a model has before anything is read into it: its defaults.
///
/// ```swift
/// struct Member: Model {
///   var level = 1
///   var nickName = ""
/// }
/// ```
public protocol Model: Codable, Sendable {
  /// A model with its default values.
  init()
}
