import Dispatch
import Foundation

/// A peer whose writes return when they are done, and make the thread that calls them wait.
protocol BlockingPeer: StorePeer {
  func write(_ entries: [SampleEntry]) throws
}

/// A blocking peer with a thread of its own, as our store has one: what a program makes of it whose tasks must not wait for a disk.
///
/// `@unchecked Sendable` is right because the peer is reached on the serial queue only.
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
  /// The same column, with each write on a thread of its own.
  var offThread: StoreColumn {
    StoreColumn(name: name + ", off the caller's thread", survives: survives, largest: largest) { folder, entries in
      guard let peer = try await make(folder, entries) as? any BlockingPeer else {
        throw PeerFailure("\(name) does not block")
      }
      return OffThreadPeer(peer)
    }
  }
}
