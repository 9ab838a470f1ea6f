// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

// Apple's systems want a privacy manifest in the bundle of whoever uses certain calls. Elsewhere it would only make a bundle and
// have each program that uses the library carry the code that looks for it.
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
    // Foundation, of which Linux gets what these modules need.
    .target(name: "FoundationCore"),
    // What the two modules above it have in common: a lock, a deep stack, a coder's marks, the encodings of text. Nothing of it is public.
    .target(name: "CodingSupport", dependencies: ["FoundationCore"]),
    .target(name: "KeyedArchive", dependencies: ["CodingSupport", "FoundationCore"]),
    // The stored forms of types that only the whole of Foundation has; a program that does not link it does not by this.
    .target(name: "FoundationForms", dependencies: ["CodingSupport", "KeyedArchive"]),
    .target(name: "ModelMapping", dependencies: ["CodingSupport"]),
    .target(
      name: "GlobalData",
      dependencies: [
        "CodingSupport", "FoundationCore", "FoundationForms", "KeyedArchive",
        // What Swift's own modules for Linux leave out: extended attributes, and a file's status without its times.
        .target(name: "CLinux", condition: .when(platforms: [.linux])),
      ],
      exclude: hasPrivacyManifest ? [] : ["PrivacyInfo.xcprivacy"],
      resources: hasPrivacyManifest ? [.copy("PrivacyInfo.xcprivacy")] : []),
    .systemLibrary(name: "CLinux"),
    // Of the models it knows their reports and their reading of JSON's text, so that neither stands twice.
    .target(
      name: "GlobalDataImporting", dependencies: ["CodingSupport", "GlobalData", "KeyedArchive", "ModelMapping"],
      exclude: hasPrivacyManifest ? [] : ["PrivacyInfo.xcprivacy"],
      resources: hasPrivacyManifest ? [.copy("PrivacyInfo.xcprivacy")] : []),
    // For the tests of apps; no other target of the library knows it.
    .target(name: "GlobalDataTesting", dependencies: ["CodingSupport", "GlobalData", "KeyedArchive", "ModelMapping"]),
    .executableTarget(name: "archivetool", dependencies: ["GlobalData", "GlobalDataImporting", "ModelMapping"]),

    .target(
      name: "TestSupport", dependencies: ["CodingSupport", "FoundationForms", "KeyedArchive", "TestProcess"],
      path: "Tests/TestSupport"),
    // Sets what a process of tests needs in its environment, as soon as it is loaded.
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

// A client as Xcode 26 makes one: its code is on the main actor unless it says otherwise. Earlier compilers cannot be told so, and a
// manifest of Swift 6.0 has no other name for it than the compiler's flag.
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
