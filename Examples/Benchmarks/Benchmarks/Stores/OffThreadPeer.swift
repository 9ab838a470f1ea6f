import Dispatch
import Foundation

/// A peer whose writes block the calling thread until they are done.
protocol BlockingPeer: StorePeer {
  func write(_ entries: [SampleEntry]) throws
}

/// A blocking peer on its own thread, like this package's store. A program needs this if its tasks must not wait for a
/// disk.
///
/// `@unchecked Sendable` is correct because the peer is only used on the serial queue.
final class OffThreadPeer: StorePeer, @unchecked Sendable {
  private let peer: any BlockingPeer
  private let queue = DispatchQueue(label: "OffThreadPeer")

  init(_ peer: any BlockingPeer) {
    self.peer = peer
  }

  func write(_ entries: [SampleEntry]) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      queue.async { done.resume(with: Result { try self.peer.write(entries) }) }
    }
  }

  func read(_ key: String) throws -> String? {
    try queue.sync { try peer.read(key) }
  }

  func close() async throws {
    try await peer.close()
  }
}

extension StoreColumn {
  /// The same column, whose writes run on a separate thread.
  var offThread: StoreColumn {
    StoreColumn(name: name + ", off the caller's thread", survives: survives, largest: largest) { folder, entries in
      guard let peer = try await make(folder, entries) as? any BlockingPeer else {
        throw PeerFailure("\(name) does not block")
      }
      return OffThreadPeer(peer)
    }
  }
}
