import Foundation

/// What a program without a store is: one value, written and read as JSON.
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
