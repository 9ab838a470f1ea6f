// swift-tools-version: 6.0
import PackageDescription

// Builds GlobalData's own sources with a module named SwiftUI, so that code under `#if canImport(SwiftUI)` is compiled
// and run on Linux, which has no SwiftUI. This is a separate package, because `canImport` would also find that module
// from the library's package.
//
//   swift test --package-path Tests/SwiftUIStandIn
//
// On Apple's systems, the name is taken. There, the library's package is built with the real SwiftUI.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

// As in a new project of Xcode 26. Compilers before Swift 6.2 do not know the option; with them, these views are like
// the others.
#if compiler(>=6.2)
let onMainActor: [SwiftSetting] = [
  .unsafeFlags(["-default-isolation", "MainActor"]),  // SE-0466
  .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]
#else
let onMainActor: [SwiftSetting] = []
#endif

let package = Package(
  name: "SwiftUIStandIn",
  platforms: [.macOS(.v15)],
  targets: [
    // The library, as in its own package.
    .target(name: "FoundationCore", path: "Library/FoundationCore", swiftSettings: settings),
    .target(
      name: "CodingSupport", dependencies: ["FoundationCore"], path: "Library/CodingSupport", swiftSettings: settings),
    .target(
      name: "KeyedArchive", dependencies: ["CodingSupport", "FoundationCore"], path: "Library/KeyedArchive",
      swiftSettings: settings),
    .target(
      name: "FoundationForms", dependencies: ["CodingSupport", "KeyedArchive"], path: "Library/FoundationForms",
      swiftSettings: settings),
    .target(
      name: "ModelMapping", dependencies: ["CodingSupport"], path: "Library/ModelMapping", swiftSettings: settings),
    .target(
      name: "GlobalData",
      dependencies: ["CodingSupport", "FoundationCore", "FoundationForms", "KeyedArchive", "CLinux", "SwiftUI"],
      path: "Library/GlobalData", exclude: ["PrivacyInfo.xcprivacy"], swiftSettings: settings),
    .systemLibrary(name: "CLinux", path: "Library/CLinux"),
    .target(
      name: "GlobalDataImporting", dependencies: ["CodingSupport", "GlobalData", "KeyedArchive", "ModelMapping"],
      path: "Library/GlobalDataImporting", exclude: ["PrivacyInfo.xcprivacy"], swiftSettings: settings),
    .target(
      name: "GlobalDataTesting", dependencies: ["CodingSupport", "GlobalData", "KeyedArchive", "ModelMapping"],
      path: "Library/GlobalDataTesting", swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["CodingSupport", "FoundationForms", "KeyedArchive", "TestProcess"],
      path: "TestSupport", swiftSettings: settings),
    .target(name: "TestProcess", path: "TestProcess"),

    .target(name: "SwiftUI", path: "SwiftUI", swiftSettings: settings),
    .target(name: "ViewHosting", dependencies: ["SwiftUI"], path: "ViewHosting", swiftSettings: settings),

    // The same views in three language modes, as in an app.
    .target(name: "Views", dependencies: ["GlobalData", "SwiftUI"], path: "Views"),
    .target(
      name: "ViewsInSwift5", dependencies: ["GlobalData", "SwiftUI"], path: "ViewsInSwift5",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "ViewsOnMainActor", dependencies: ["GlobalData", "SwiftUI"], path: "ViewsOnMainActor",
      swiftSettings: onMainActor),

    .testTarget(
      name: "StoredTests",
      dependencies: [
        "GlobalData", "GlobalDataTesting", "SwiftUI", "TestSupport", "ViewHosting", "Views", "ViewsInSwift5",
        "ViewsOnMainActor",
      ],
      path: "StoredTests", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
