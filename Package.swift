// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

let package = Package(
  name: "GlobalData",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "GlobalData", targets: ["GlobalData"]),
    .library(name: "GlobalDataTesting", targets: ["GlobalDataTesting"]),
    .executable(name: "archivetool", targets: ["archivetool"]),
  ],
  targets: [
    // What the two modules above it have in common: a lock, a deep stack, a coder's marks, the encodings of text. Nothing of it is public.
    .target(name: "CodingSupport"),
    .target(name: "KeyedArchive", dependencies: ["CodingSupport"]),
    .target(name: "ModelMapping", dependencies: ["CodingSupport"]),
    .target(
      name: "GlobalData",
      dependencies: [
        "KeyedArchive", "ModelMapping",
        // The C library's header for extended attributes, which Swift's own modules for Linux leave out.
        .target(name: "CExtendedAttributes", condition: .when(platforms: [.linux])),
      ]),
    .systemLibrary(name: "CExtendedAttributes"),
    // For the tests of apps; no other target of the library knows it.
    .target(name: "GlobalDataTesting", dependencies: ["GlobalData", "KeyedArchive", "ModelMapping"]),
    .executableTarget(name: "archivetool", dependencies: ["GlobalData"]),

    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(name: "ThrownErrors", path: "Tests/ThrownErrors"),
    .executableTarget(name: "stress-writer", dependencies: ["GlobalData"], path: "Tests/StressWriter"),
    .executableTarget(name: "archive-zoo", dependencies: ["KeyedArchive", "TestSupport"], path: "Tests/ArchiveZoo"),
    .executableTarget(
      name: "hostile-reader", dependencies: ["KeyedArchive", "TestSupport"], path: "Tests/HostileReader"),
    .testTarget(
      name: "KeyedArchiveTests", dependencies: ["KeyedArchive", "TestSupport", "ThrownErrors", "hostile-reader"],
      resources: [.copy("Fixtures")]),
    .testTarget(name: "ModelMappingTests", dependencies: ["ModelMapping", "TestSupport", "ThrownErrors"]),
    .testTarget(
      name: "GlobalDataTests",
      dependencies: ["GlobalData", "GlobalDataTesting", "TestSupport", "ThrownErrors", "stress-writer"],
      exclude: ["Golden/GoldenArchives"],  // the files of releases, which tests find beside their source
      resources: [.copy("Fixtures")]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["GlobalData", "GlobalDataTesting", "KeyedArchive", "TestSupport", "ThrownErrors"],
      exclude: ["GoldenArchives"]),
    .testTarget(name: "ArchiveToolTests", dependencies: ["GlobalData", "TestSupport", "ThrownErrors", "archivetool"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = settings
}
