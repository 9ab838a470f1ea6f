// swift-tools-version: 6.0
import Foundation
import PackageDescription

/// The peers that are system libraries and whose headers are installed: `apt-get install libsqlite3-dev liblmdb-dev`.
///
/// The code uses `canImport`, and its output says what is missing.
let peers = [(target: "CSQLite", header: "sqlite3.h"), (target: "CLMDB", header: "lmdb.h")].filter { peer in
  ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].contains { folder in
    FileManager.default.fileExists(atPath: "\(folder)/\(peer.header)")
  }
}

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "GlobalData", path: "../..")],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "GlobalData", package: "GlobalData"),
        .product(name: "ModelMapping", package: "GlobalData"),
        "Floor",
      ]
        + peers.map { .target(name: $0.target) },
      path: "Benchmarks"),
    // The bare system calls for the same bytes, in C.
    .target(name: "Floor", path: "Floor"),
  ] + peers.map { .systemLibrary(name: $0.target, path: "SystemLibraries/\($0.target)") },
  swiftLanguageModes: [.v6]
)
