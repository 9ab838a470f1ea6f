// Apple's types of this kind are Codable by CoreGraphics, which Foundation brings on a Mac only.
#if canImport(CoreGraphics)
import CoreGraphics
import FoundationCore

extension TypeRegistry {
  static var geometry: [String: Any.Type] {
    var types: [String: Any.Type] = [
      "CGPoint": CGPoint.self, "CGSize": CGSize.self, "CGRect": CGRect.self, "CGVector": CGVector.self,
      "CGAffineTransform": CGAffineTransform.self,
    ]
    // Of Apple's systems only macOS has the type; Mac Catalyst has it not. This file is the only one that knows.
    #if os(macOS)
    types["AffineTransform"] = AffineTransform.self
    #endif
    return types
  }
}
#endif
