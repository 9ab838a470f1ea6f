import Foundation
import Testing

/// Apple's privacy manifests name the categories of calls that the sources of a product use, and no others.
@Suite struct PrivacyManifestTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The calls in each of Apple's categories, as they appear in Swift.
  private static var categories: [String: Regex<Substring>] {
    [
      "NSPrivacyAccessedAPICategoryFileTimestamp":
        #/\b[lf]?stat\(|\bfstatat\(|\bf?getattrlist(?:bulk|at)?\(|[cC]reationDate\b|[mM]odificationDate\b|ModificationDateKey/#,
      "NSPrivacyAccessedAPICategorySystemBootTime": #/\bsystemUptime\b|\bmach_absolute_time\b/#,
      "NSPrivacyAccessedAPICategoryDiskSpace":
        #/\bf?statv?fs\(|volume(?:Available|Total)Capacity|\bsystem(?:Free)?Size\b/#,
      "NSPrivacyAccessedAPICategoryActiveKeyboards": #/\bactiveInputModes\b/#,
      "NSPrivacyAccessedAPICategoryUserDefaults": #/\bUserDefaults\b/#,
    ]
  }

  /// The reasons that Apple accepts and that apply here.
  private static let reasons = [
    "NSPrivacyAccessedAPICategoryFileTimestamp": ["C617.1", "3B52.1", "0A2A.1"],
    "NSPrivacyAccessedAPICategoryUserDefaults": ["CA92.1", "1C8F.1", "C56D.1"],
  ]

  private struct Manifest: Decodable {
    struct AccessedType: Decodable {
      var category: String
      var reasons: [String]

      enum CodingKeys: String, CodingKey {
        case category = "NSPrivacyAccessedAPIType"
        case reasons = "NSPrivacyAccessedAPITypeReasons"
      }
    }

    var isTracking: Bool
    var trackingDomains: [String]
    var collectedTypes: [[String: String]]
    var accessedTypes: [AccessedType]

    enum CodingKeys: String, CodingKey {
      case isTracking = "NSPrivacyTracking"
      case trackingDomains = "NSPrivacyTrackingDomains"
      case collectedTypes = "NSPrivacyCollectedDataTypes"
      case accessedTypes = "NSPrivacyAccessedAPITypes"
    }
  }

  /// The products with a manifest, each with the modules that it adds to an app. A report on the app includes all of
  /// them.
  private static let products = [
    "GlobalData": ["CodingSupport", "KeyedArchive", "GlobalData"],
    "GlobalDataImporting": ["ModelMapping", "GlobalDataImporting"],
  ]

  private static func manifest(of product: String) throws -> Manifest {
    let data = try Data(contentsOf: root.appending(path: "Sources/\(product)/PrivacyInfo.xcprivacy"))
    return try PropertyListDecoder().decode(Manifest.self, from: data)
  }

  @Test(arguments: products.keys) func nothingIsCollectedAndNobodyIsTracked(product: String) throws {
    let manifest = try Self.manifest(of: product)
    #expect(!manifest.isTracking)
    #expect(manifest.trackingDomains.isEmpty)
    #expect(manifest.collectedTypes.isEmpty)
  }

  @Test(arguments: products) func manifestsNameExactlyTheUsedCategories(
    product: String, modules: [String]
  ) throws {
    let manifest = try Self.manifest(of: product)
    let code = try Self.code(of: modules)
    let used = Self.categories.filter { code.contains($0.value) }.keys.sorted()
    #expect(manifest.accessedTypes.map(\.category).sorted() == used)
    #expect(!used.isEmpty)
  }

  @Test(arguments: products.keys) func eachCategoryHasItsReasons(product: String) throws {
    for type in try Self.manifest(of: product).accessedTypes { #expect(type.reasons == Self.reasons[type.category]) }
  }

  /// The code of modules, without comments.
  private static func code(of modules: [String]) throws -> String {
    var lines: [Substring] = []
    for module in modules {
      let folder = root.appending(path: "Sources/\(module)")
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
        lines += try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
      }
    }
    return lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
  }
}
