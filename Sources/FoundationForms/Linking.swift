// This module links Foundation weakly. A program that stores types from Foundation links Foundation itself, and this
// module does not link Foundation into any other program. No code may then call a function without an address. The
// functions of a stored form are reached through a type's conformance, which the runtime finds only if the type is
// linked. All other code checks first. Apple's systems always have Foundation.
@_weakLinked import Foundation

/// The identifier of the program's bundle, if it has one.
package var bundleIdentifier: String? {
  isLinked("10Foundation6BundleC") ? Bundle.main.bundleIdentifier : nil
}

/// Returns the canonical decomposition of a name. In a program without the class, returns the name itself:
/// no volume of such a program's system accepts two spellings of one name.
package func decomposed(_ name: String) -> String {
  isLinked("10Foundation8NSStringC") ? name.decomposedStringWithCanonicalMapping : name
}

/// Returns whether the program links a class from Foundation, and therefore the functions that are compiled with it.
private func isLinked(_ mangledName: String) -> Bool {
  #if canImport(FoundationEssentials)
  _typeByName(mangledName) != nil
  #else
  true
  #endif
}
