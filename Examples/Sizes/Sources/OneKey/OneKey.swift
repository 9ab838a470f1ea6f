import Foundation
import GlobalData

/// Stores one value for a key.
@main
struct OneKey {
  struct Settings: Codable {
    var name = "Ada"
    var volume = 0.5
    var visits = 1
  }

  static func main() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).globaldata")
    let store = GlobalData(at: file)
    try await store.set(Settings(), forKey: "settings")
    print(try store.object(Settings.self, forKey: "settings") ?? Settings())
    try await store.clear()
  }
}
