import Foundation
import KeyedArchive
import TestSupport

extension Fixture {
  /// The Foundation types whose form this module defines. The forms of others belong to Foundation, and change with it.
  static let foundation = [
    Fixture("time-zones", [TimeZone(identifier: "Asia/Tokyo"), TimeZone(secondsFromGMT: -3661)]),
    Fixture("person-name", name),
    Fixture("url-components", [URLComponents(string: "https://u:p@h.example:1/%2F?q=%26#f"), hostless]),
    Fixture("fuel-efficiency", Measurement(value: 0.1, unit: UnitFuelEfficiency.litersPer100Kilometers)),
    Fixture("collation", Locale.Collation("phonebk")),
    Fixture("attributed-texts", [AttributedString("plain"), attributed(2), attributed(12)]),
  ]

  private static let name: PersonNameComponents = {
    var phonetics = PersonNameComponents()
    phonetics.givenName = "tarou"
    var name = PersonNameComponents()
    name.givenName = "\u{592a}\u{90ce}"
    name.phoneticRepresentation = phonetics
    return name
  }()

  private static let hostless: URLComponents = {
    var components = URLComponents()
    components.path = "//a b"
    return components
  }()

  private static func attributed(_ count: Int) -> AttributedString {
    var text = AttributedString()
    for index in 0..<count {
      var part = AttributedString("\(index)")
      part.replacementIndex = index % 3
      text += part
    }
    return text
  }
}

#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
extension Fixture {
  /// Only a machine with this type can write these. Others read them as `Float`.
  static let halfPrecision = [
    Fixture("half-precision", [1.5, -0.0, .infinity] as [Float16]),
    Fixture("half-precision-scalar", Float16(bitPattern: 0x7c01), by: \.bitPattern),
  ]
}
#else
extension Fixture {
  static let halfPrecision: [Fixture] = []
}
#endif
