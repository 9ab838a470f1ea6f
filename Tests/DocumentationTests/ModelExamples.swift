import Foundation
import GlobalData
import Testing

@Suite struct ModelExamples {
  struct Member: Model {
    var level = 1
    var nickName = ""
  }

  @Test func aModelIsReadFromJSON() throws {
    let member = try Member(json: Data(#"{"level": 3, "nickName": "Ada"}"#.utf8))
    #expect(member.level == 3 && member.nickName == "Ada")
  }
}
