import Foundation
import GlobalData

/// This package's store.
struct GlobalDataPeer: StorePeer {
  let store: GlobalData

  func write(_ entries: [SampleEntry]) async throws {
    guard entries.count > 1 else {
      for entry in entries { try await store.set(entry.value, forKey: entry.key) }
      return
    }
    try await store.update { data in
      for entry in entries { try data.set(entry.value, forKey: entry.key) }
    }
  }

  func read(_ key: String) throws -> String? {
    try store.object(String.self, forKey: key)
  }

  func close() async throws {
    try await store.close()
  }

  static func configuration(_ durability: Durability, _ persistence: GlobalData.Persistence) -> GlobalData.Configuration
  {
    var configuration = GlobalData.Configuration()
    configuration.durability = durability
    configuration.persistence = persistence
    return configuration
  }

  static func file(in folder: URL) -> URL { folder.appendingPathComponent("GlobalData.archive") }
}

extension StoreColumn {
  /// A column for each way of writing and each durability, including those that the library adds later.
  static var globalData: [StoreColumn] {
    GlobalData.Persistence.allCases.flatMap { persistence in
      Durability.allCases.map { durability in
        column("GlobalData \(persistence), \(durability)", GlobalDataPeer.configuration(durability, persistence))
      }
    } + notShared
  }

  /// Columns for appends without syncing, to files that no other process writes.
  private static var notShared: [StoreColumn] {
    [Durability.ordered, .processCrash].map { durability in
      var configuration = GlobalDataPeer.configuration(durability, .appending)
      configuration.isShared = false
      return column("GlobalData appending, \(durability), not shared", configuration)
    }
  }

  private static func column(_ name: String, _ configuration: GlobalData.Configuration) -> StoreColumn {
    StoreColumn(name: name, survives: survival(configuration.durability)) { folder, entries in
      let peer = GlobalDataPeer(
        store: GlobalData(at: GlobalDataPeer.file(in: folder), configuration: configuration))
      try await peer.write(entries)
      return peer
    }
  }

  private static func survival(_ durability: Durability) -> Survival {
    switch durability {
    case .powerLoss: .powerCut
    case .ordered: .olderState
    case .processCrash: .kill
    }
  }
}
