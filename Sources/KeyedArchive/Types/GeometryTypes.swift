// CoreGraphics makes Apple's geometry types `Codable`. Foundation includes CoreGraphics on a Mac only.
#if canImport(CoreGraphics)
import CoreGraphics
import FoundationCore

extension TypeRegistry {
  static var geometry: [String: Any.Type] {
    var types: [String: Any.Type] = [
      "CGPoint": CGPoint.self, "CGSize": CGSize.self, "CGRect": CGRect.self, "CGVector": CGVector.self,
      "CGAffineTransform": CGAffineTransform.self,
    ]
    // Of Apple's systems only macOS has this type; Mac Catalyst does not. Only this file depends on that.
    #if os(macOS)
    types["AffineTransform"] = AffineTransform.self
    #endif
    return types
  }
}
#endif
