import Foundation

#if canImport(CoreGraphics)
import CoreGraphics
#endif

// Classes as Objective-C apps have them. Foundation on Linux archives instances of top-level classes only.

/// A class as an Objective-C app has it.
final class LegacyCar: NSObject, NSCoding {
  let plate: String
  let speed: Int
  var sibling: LegacyCar?

  init(_ plate: String, _ speed: Int) {
    self.plate = plate
    self.speed = speed
  }

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(plate as NSString, forKey: "_plate")
    coder.encode(speed, forKey: "speed")
    coder.encode(true, forKey: "isOnline")
    coder.encode(Float(0.5), forKey: "load")
    coder.encode(Double(0.1), forKey: "_mileage")
    encodeGeometry(coder)
    coder.encode(NSArray(array: ["red", "blue"]), forKey: "colours")
    coder.encode(NSDictionary(dictionary: [1: "one", 2: "two"]), forKey: "gears")
    coder.encode(NSSet(array: [1, 2]), forKey: "numbers")
    coder.encode(NSUUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0EFF"), forKey: "id")
    coder.encode("https://a.example/b" as NSString, forKey: "site")
    coder.encode("7.25" as NSString, forKey: "version")
    coder.encode(Int32(-5), forKey: "offset")
    coder.encode("own" as NSString, forKey: "$own")
    coder.encode(sibling, forKey: "sibling")
  }

  #if os(macOS) || os(Linux)
  private func encodeGeometry(_ coder: NSCoder) {
    coder.encode(NSPoint(x: 1, y: 2.5), forKey: "place")
    coder.encode(NSRect(x: 1, y: 2, width: 3, height: 4), forKey: "frame")
  }
  #else
  // Elsewhere, these calls belong to UIKit, which writes such texts.
  private func encodeGeometry(_ coder: NSCoder) {
    coder.encode("{1, 2.5}" as NSString, forKey: "place")
    coder.encode("{{1, 2}, {3, 4}}" as NSString, forKey: "frame")
  }
  #endif
}

/// Values whose types are known only at run time.
final class LegacyLot: NSObject, NSCoding {
  override init() {}

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(NSArray(array: [LegacyCar("A", 1), "text", 3]), forKey: "things")
    coder.encode(LegacyCar("B", 1), forKey: "one")
    coder.encode(NSDictionary(dictionary: ["a": [1, "x"]]), forKey: "tree")
  }
}

final class LegacySettings: NSObject, NSCoding {
  override init() {}

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) { coder.encode(0.5, forKey: "volume") }
}

/// The class that is imported as ``Imported/Car``.
final class LegacyPlainCar: NSObject, NSCoding {
  override init() {}

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode("B 1" as NSString, forKey: "_plate")
    coder.encode(5, forKey: "_speed")
    coder.encode(true, forKey: "_isOnline")
  }
}
