import Foundation
import GlobalData
import GlobalDataImporting
import ModelMapping

/// Uses each product that an app may add.
@main
struct Everything {
  struct Member: Model {
    @Field("level") var vipLevel = 1
    @Field("profile", "nick_name") var nickName = ""
  }

  static func main() async throws {
    let store = GlobalData(at: FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).globaldata"))
    let json = Data(#"{"level": "24", "profile": {"nick_name": "Ada"}}"#.utf8)
    try await store.set(Member(json: json), forKey: "member")
    print(try await store.importJSON(json))
    print(try store.object(Member.self, forKey: "member")?.vipLevel ?? 0)
    try await store.clear()
  }
}
