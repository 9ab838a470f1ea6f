import Foundation

extension TypeRegistry {
  /// The types of the standard library and Foundation that every registry knows, by tag.
  static let standardTypes: [String: any (Codable & Sendable).Type] = {
    let types: [any (Codable & Sendable).Type] = [
      Bool.self, String.self, Double.self, Float.self, CGFloat.self,
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
      Data.self, Date.self, UUID.self, URL.self, Decimal.self,
      Locale.self, TimeZone.self, Calendar.self, DateComponents.self, DateInterval.self, IndexPath.self,
      IndexSet.self, CharacterSet.self, PersonNameComponents.self, URLComponents.self,
      CGPoint.self, CGSize.self, CGRect.self,
      Range<Int>.self, Range<Double>.self, Range<Date>.self,
      ClosedRange<Int>.self, ClosedRange<Double>.self, ClosedRange<Date>.self,
      ArchiveValue.self,
    ]
    return Dictionary(types.map { (defaultArchiveName(of: $0), $0) }) { first, _ in first }
  }()
}
