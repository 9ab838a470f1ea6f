// This module links Foundation weakly: a program that stores types of Foundation links it itself, and no other program
// does because of this module. What has no address then is not called: the functions of a stored form are reached
// through the conformance of a type, which the runtime finds only where the type is linked, and all else asks first.
// Apple's systems have Foundation in any case.
@_weakLinked import Foundation

/// The identifier of the program's bundle, where there is one.
package var bundleIdentifier: String? {
  isLinked("10Foundation6BundleC") ? Bundle.main.bundleIdentifier : nil
}

/// The canonical decomposition of a name. A program that does not link it gets the name: no volume of its system takes
/// two spellings for one name.
package func decomposed(_ name: String) -> String {
  isLinked("10Foundation8NSStringC") ? name.decomposedStringWithCanonicalMapping : name
}

/// Whether the program links a class of Foundation, and so the functions that are compiled with it.
private func isLinked(_ mangledName: String) -> Bool {
  #if canImport(FoundationEssentials)
  _typeByName(mangledName) != nil
  #else
  true
  #endif
}
