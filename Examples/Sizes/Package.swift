// swift-tools-version: 6.0
import PackageDescription

// Programs whose sizes are held to budgets: .ci/sizes.py
let package = Package(
  name: "Sizes",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "GlobalData", path: "../..")],
  targets: [
    .executableTarget(name: "Nothing"),
    .executableTarget(
      name: "OneKey", dependencies: [.product(name: "GlobalData", package: "GlobalData")]),
  ],
  swiftLanguageModes: [.v6]
)
