import Foundation
import KeyedArchive
import TestSupport

#if canImport(CoreGraphics)
import CoreGraphics  // CGRect's members, which Foundation only includes on a Mac
#endif

// Some Foundation types that encode themselves, in all positions of other values.

extension Locale: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Locale {
    Locale(identifier: random.one(of: ["de_CH", "zh-Hant", "en_US@calendar=buddhist;numbers=arab", "", "x"]))
  }
}

extension TimeZone: RandomKey {
  static func random(_ random: inout SeededGenerator) -> TimeZone {
    let fixed = TimeZone(secondsFromGMT: random.below(100_000) - 50_000) ?? .gmt
    return random.flip() ? fixed : TimeZone(identifier: random.one(of: ["Asia/Tokyo", "UTC", "PST"])) ?? fixed
  }
}

extension DateComponents: RandomKey {
  static func random(_ random: inout SeededGenerator) -> DateComponents {
    var components = DateComponents(
      timeZone: .random(&random), era: .random(&random), year: .random(&random), nanosecond: .random(&random))
    components.isLeapMonth = .random(&random)
    return components
  }
}

extension IndexSet: RandomKey {
  static func random(_ random: inout SeededGenerator) -> IndexSet {
    IndexSet((0..<random.count()).map { _ in random.one(of: [0, 1, 2, 63, 64, .max - 1, random.below(1000)]) })
  }
}

extension IndexPath: RandomKey {
  static func random(_ random: inout SeededGenerator) -> IndexPath { IndexPath(indexes: [Int].random(&random)) }
}

extension Duration: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Duration {
    Duration(secondsComponent: .random(&random), attosecondsComponent: Int64(random.below(1_000_000_000)))
  }
}

extension CGRect: RandomValue {
  static func random(_ random: inout SeededGenerator) -> CGRect {
    CGRect(x: CGFloat.random(&random), y: .random(&random), width: .random(&random), height: .random(&random))
  }

  func isIdentical(to other: CGRect) -> Bool {
    origin.x.isIdentical(to: other.origin.x) && origin.y.isIdentical(to: other.origin.y)
      && size.width.isIdentical(to: other.size.width) && size.height.isIdentical(to: other.size.height)
  }
}

extension SIMD4: RandomValue where Scalar == Float {
  static func random(_ random: inout SeededGenerator) -> SIMD4 {
    SIMD4(.random(&random), .random(&random), .random(&random), .random(&random))
  }

  func isIdentical(to other: SIMD4) -> Bool { indices.allSatisfy { self[$0].isIdentical(to: other[$0]) } }
}

extension SIMD2: RandomValue where Scalar == Double {
  static func random(_ random: inout SeededGenerator) -> SIMD2 { SIMD2(.random(&random), .random(&random)) }

  func isIdentical(to other: SIMD2) -> Bool { indices.allSatisfy { self[$0].isIdentical(to: other[$0]) } }
}
