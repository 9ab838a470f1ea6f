// swift-tools-version: 6.0
import PackageDescription

// Programs that show how much a product adds to an app. .ci/sizes.py compares their sizes with budgets.
let package = Package(
  name: "Sizes",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "GlobalData", path: "../..")],
  targets: [
    .executableTarget(name: "Nothing"),
    .executableTarget(name: "OneKey", dependencies: [.product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(name: "RareTypes", dependencies: [.product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(name: "Collection", dependencies: [.product(name: "GlobalData", package: "GlobalData")]),
    .executableTarget(
      name: "Everything",
      dependencies: [
        .product(name: "GlobalData", package: "GlobalData"),
        .product(name: "GlobalDataImporting", package: "GlobalData"),
        .product(name: "ModelMapping", package: "GlobalData"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
