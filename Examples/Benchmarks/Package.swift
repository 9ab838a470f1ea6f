// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "GlobalData", path: "../..")],
  targets: [
    .executableTarget(
      name: "Benchmarks", dependencies: [.product(name: "GlobalData", package: "GlobalData")], path: "Benchmarks")
  ],
  swiftLanguageModes: [.v6]
)
