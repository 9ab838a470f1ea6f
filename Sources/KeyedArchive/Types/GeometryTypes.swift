import Foundation

// Apple's types of this kind are Codable by CoreGraphics, which Foundation brings on a Mac only.
#if canImport(CoreGraphics)
import CoreGraphics
#endif

extension TypeRegistry {
  /// Points, sizes, rectangles and transforms.
  static let geometry: [Any.Type?] = [CGPoint.self, CGSize.self, CGRect.self, affineTransform] + coreGraphics

  // Foundation has these by CoreGraphics only.
  #if canImport(CoreGraphics)
  private static let coreGraphics: [Any.Type?] = [CGVector.self, CGAffineTransform.self]
  #else
  private static let coreGraphics: [Any.Type?] = []
  #endif

  // Of Apple's systems only macOS has the type; Mac Catalyst has it not. This file is the only one that knows.
  #if os(macOS) || !canImport(Darwin)
  private static let affineTransform: Any.Type? = AffineTransform.self
  #else
  private static let affineTransform: Any.Type? = nil
  #endif
}
