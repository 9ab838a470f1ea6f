import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Pieces of more than one write.
struct LargeFileTests {
  /// Systems write at most 2 GiB in one call, and some reject larger requests.
  @Test func aLargePieceIsWrittenInSeveralCalls() async throws {
    try await withTemporaryDirectory { folder in
      let size = 2 * OpenFile.chunk + 1
      let system = FaultySystemCalls()
      try ArchiveFile(in: folder, system: system).replace(with: [Data(count: size)], durability: .processCrash)
      #expect(OpenFile.chunk <= 1 << 30)
      #expect(system.count(of: .write) == 3)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("store").path)
      #expect(attributes[.size] as? Int == size)
    }
  }
}
