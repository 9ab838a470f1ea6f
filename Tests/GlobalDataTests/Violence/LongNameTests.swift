import Foundation
import TestSupport
import Testing

@testable import GlobalData

struct LongNameTests {
  /// Names of 255 bytes. The second one has characters of two bytes, which must not be split.
  @Test(arguments: [String(repeating: "n", count: 255), "n" + String(repeating: "ü", count: 127)])
  func aStoreWithTheLongestNameIsLockedWrittenAndSetAside(name: String) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent(name)
      let store = GlobalData(at: url)
      try await store.set("first", forKey: "a")
      try await store.set("second", forKey: "b")
      try await store.close()
      var bytes = try Data(contentsOf: url)
      bytes[bytes.count - 12] ^= 1  // in the value of "b"
      try bytes.write(to: url)

      #expect(store.stateOnceOpen == .damaged)
      try await store.set("third", forKey: "c")
      #expect(store.allKeys == ["a", "c"])
      let aside = try #require(store.recoveryOnceOpen?.setAsideURL)
      #expect(try Data(contentsOf: aside) == bytes)
      try await store.clear()
      #expect(try folderContents(folder).isEmpty)
    }
  }
}
