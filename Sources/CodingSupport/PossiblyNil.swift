/// A value of any type that may be `nil`: an optional, or a wrapper around one.
package protocol PossiblyNil {
  var isNil: Bool { get }
}

extension Optional: PossiblyNil {
  package var isNil: Bool { if case .none = self { true } else { false } }
}
