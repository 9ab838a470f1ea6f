import Foundation

/// A program without a store: it writes one value as JSON and reads it.
@main
struct Nothing {
  struct Settings: Codable {
    var name = "Ada"
    var volume = 0.5
    var visits = 1
  }

  static func main() throws {
    let data = try JSONEncoder().encode(Settings())
    print(try JSONDecoder().decode(Settings.self, from: data))
  }
}
