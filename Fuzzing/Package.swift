// swift-tools-version: 6.0
import PackageDescription

// Every module has to be instrumented, including those of the package above. Only flags on the command line can do
// this: see run.sh.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "GlobalData", path: "..")],
  targets: [
    .target(name: "FuzzSupport"),
    .executableTarget(
      name: "FuzzReader", dependencies: ["FuzzSupport", .product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(
      name: "FuzzDecoder", dependencies: ["FuzzSupport", .product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(
      name: "FuzzDifferential", dependencies: ["FuzzSupport", .product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(
      name: "FuzzImport",
      dependencies: [
        "FuzzSupport", .product(name: "GlobalData", package: "GlobalData"),
        .product(name: "GlobalDataImporting", package: "GlobalData"),
        .product(name: "ModelMapping", package: "GlobalData"),
      ]),
    .executableTarget(
      name: "FuzzScripts", dependencies: ["FuzzSupport", .product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(
      name: "FuzzStore", dependencies: ["FuzzSupport", .product(name: "GlobalData", package: "GlobalData")]),
  ],
  swiftLanguageModes: [.v6]
)
