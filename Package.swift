// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

// On Apple's systems, code that uses certain calls needs a privacy manifest in its bundle. Elsewhere, the resource would only add
// a bundle, and code that looks for it, to each program.
#if canImport(Darwin)
let hasPrivacyManifest = true
#else
let hasPrivacyManifest = false
#endif

let package = Package(
  name: "GlobalData",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "GlobalData", targets: ["GlobalData"]),
    .library(name: "ModelMapping", targets: ["ModelMapping"]),
    .library(name: "GlobalDataImporting", targets: ["GlobalDataImporting"]),
    .library(name: "GlobalDataTesting", targets: ["GlobalDataTesting"]),
    .executable(name: "archivetool", targets: ["archivetool"]),
  ],
  targets: [
    // The part of Foundation that these modules need.
    .target(name: "FoundationCore"),
    // Shared by KeyedArchive and ModelMapping: a lock, a deep stack, marks of coders, text encodings. Nothing is public.
    .target(name: "CodingSupport", dependencies: ["FoundationCore"]),
    .target(name: "KeyedArchive", dependencies: ["CodingSupport", "FoundationCore"]),
    // The stored forms of types that FoundationEssentials does not have. Does not make a program link Foundation.
    .target(name: "FoundationForms", dependencies: ["CodingSupport", "KeyedArchive"]),
    .target(name: "ModelMapping", dependencies: ["CodingSupport"]),
    .target(
      name: "GlobalData",
      dependencies: [
        "CodingSupport", "FoundationCore", "FoundationForms", "KeyedArchive",
        // C calls that Swift's modules for Linux omit: extended attributes, a rename that replaces nothing, and others.
        .target(name: "CLinux", condition: .when(platforms: [.linux])),
      ],
      exclude: hasPrivacyManifest ? [] : ["PrivacyInfo.xcprivacy"],
      resources: hasPrivacyManifest ? [.copy("PrivacyInfo.xcprivacy")] : []),
    .systemLibrary(name: "CLinux"),
    // Uses the reports of ModelMapping, and its check of JSON text.
    .target(
      name: "GlobalDataImporting", dependencies: ["CodingSupport", "GlobalData", "KeyedArchive", "ModelMapping"],
      exclude: hasPrivacyManifest ? [] : ["PrivacyInfo.xcprivacy"],
      resources: hasPrivacyManifest ? [.copy("PrivacyInfo.xcprivacy")] : []),
    // For the tests of apps. No other target of the library depends on it.
    .target(name: "GlobalDataTesting", dependencies: ["CodingSupport", "GlobalData", "KeyedArchive", "ModelMapping"]),
    .executableTarget(name: "archivetool", dependencies: ["GlobalData", "GlobalDataImporting", "ModelMapping"]),

    .target(
      name: "TestSupport", dependencies: ["CodingSupport", "FoundationForms", "KeyedArchive", "TestProcess"],
      path: "Tests/TestSupport"),
    // Sets the environment that a test process needs, as soon as it is loaded.
    .target(name: "TestProcess", path: "Tests/TestProcess"),
    .target(name: "ThrownErrors", path: "Tests/ThrownErrors"),
    .executableTarget(name: "stress-writer", dependencies: ["GlobalData"], path: "Tests/StressWriter"),
    .executableTarget(name: "archive-zoo", dependencies: ["KeyedArchive", "TestSupport"], path: "Tests/ArchiveZoo"),
    .executableTarget(
      name: "hostile-reader", dependencies: ["KeyedArchive", "TestSupport"], path: "Tests/HostileReader"),
    .executableTarget(name: "forged-files", dependencies: ["GlobalData", "TestSupport"], path: "Tests/ForgedFiles"),
    .testTarget(
      name: "KeyedArchiveTests", dependencies: ["KeyedArchive", "TestSupport", "ThrownErrors", "hostile-reader"],
      resources: [.copy("Fixtures")]),
    // Also run as a program of WebAssembly, with an `Int` of 32 bits: .ci/byte_layer.py
    .testTarget(
      name: "ByteLayerTests",
      dependencies: ["CodingSupport", "GlobalData", "GlobalDataImporting", "KeyedArchive", "ModelMapping"],
      exclude: ["WebAssembly"]),
    // CI also runs these under ThreadSanitizer.
    .testTarget(
      name: "ConcurrencyTests",
      dependencies: ["GlobalData", "GlobalDataTesting", "ModelMapping", "TestSupport", "ThrownErrors", "stress-writer"]),
    .testTarget(name: "ModelMappingTests", dependencies: ["ModelMapping", "TestSupport", "ThrownErrors"]),
    .testTarget(
      name: "GlobalDataTests",
      dependencies: [
        "GlobalData", "GlobalDataImporting", "GlobalDataTesting", "ModelMapping", "TestSupport", "ThrownErrors",
        "stress-writer",
      ],
      exclude: ["Golden/GoldenArchives"],  // the files of releases, which tests find beside their source
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "GlobalDataImportingTests",
      dependencies: ["GlobalData", "GlobalDataImporting", "ModelMapping", "TestSupport", "ThrownErrors"],
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "GlobalData", "GlobalDataImporting", "GlobalDataTesting", "KeyedArchive", "ModelMapping", "TestSupport",
        "ThrownErrors",
      ],
      exclude: ["GoldenArchives"]),
    .testTarget(name: "ArchiveToolTests", dependencies: ["GlobalData", "TestSupport", "ThrownErrors", "archivetool"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = settings
}

// A client like a new project of Xcode 26, whose code is on the main actor by default. Earlier compilers do not support this, and a
// manifest for Swift 6.0 has no setting for it, only the compiler's flag.
#if compiler(>=6.2)
package.targets.append(
  .testTarget(
    name: "MainActorTests", dependencies: ["GlobalData", "GlobalDataImporting", "ModelMapping", "TestSupport"],
    swiftSettings: [
      .unsafeFlags(["-default-isolation", "MainActor"]),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"),
    ]))
#endif

// A check that runs few tests does not have to compile the others.
if let only = Context.environment["ONLY_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !only.contains($0.name) }
  let kept = package.targets.filter { $0.type == .test }
  precondition(kept.count == only.count, "ONLY_TESTS names other tests than \(kept.map(\.name))")
}
