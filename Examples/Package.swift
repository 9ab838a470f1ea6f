// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [
    .package(name: "GlobalData", path: "..")  // by name, because the folder of a clone may have any name
  ],
  targets: [
    .executableTarget(
      name: "LoginSession",
      dependencies: [
        .product(name: "GlobalData", package: "GlobalData"),
        .product(name: "ModelMapping", package: "GlobalData"),
      ],
      path: "LoginSession",
      exclude: ["login.json", "test.sh"]
    ),
    .executableTarget(
      name: "FetchAndStore",
      dependencies: [
        .product(name: "GlobalData", package: "GlobalData"),
        .product(name: "ModelMapping", package: "GlobalData"),
      ],
      path: "FetchAndStore",
      exclude: ["server.py", "test.sh"]
    ),
    .target(
      name: "NotesLibrary",
      dependencies: [.product(name: "GlobalData", package: "GlobalData")],
      path: "Notes/Library"
    ),
    .executableTarget(
      name: "Notes",
      dependencies: ["NotesLibrary", .product(name: "GlobalData", package: "GlobalData")],
      path: "Notes/Command"
    ),
    .testTarget(
      name: "NotesTests",
      dependencies: ["NotesLibrary", .product(name: "GlobalDataTesting", package: "GlobalData")],
      path: "Notes/Tests"
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Three releases of one app, each with its own models.
package.targets.append(
  .target(
    name: "EvolutionExample", dependencies: [.product(name: "GlobalData", package: "GlobalData")],
    path: "Evolution/Shared"))
for version in 1...3 {
  package.targets.append(
    .executableTarget(
      name: "EvolutionVersion\(version)",
      dependencies: ["EvolutionExample", .product(name: "GlobalData", package: "GlobalData")],
      path: "Evolution/Version\(version)"))
}

// If MAIN_ACTOR_BY_DEFAULT is set in the environment, the programs are built as in a new project of Xcode 26, where all
// code is on the main actor unless declared otherwise. The library of the notes app stays as it is, like a package that
// such a project uses. Compilers before Swift 6.2 have no such setting.
#if compiler(>=6.2)
if Context.environment["MAIN_ACTOR_BY_DEFAULT"] != nil {
  for target in package.targets where target.name != "NotesLibrary" && !target.isTest {
    target.swiftSettings = [
      .unsafeFlags(["-default-isolation", "MainActor"]),  // SE-0466
      .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    ]
  }
}
#endif
