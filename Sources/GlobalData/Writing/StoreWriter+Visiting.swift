import Dispatch
import Foundation

// How a commit begins and ends, and what it leaves open for the next one.

/// A commit that is over but for its end, whose lock is held for an update that is to run again.
struct HeldVisit {
  var visit: ArchiveVisit?
  /// Tells the last one from those before it.
  var number: UInt64 = 0
}

extension StoreWriter {
  /// Begins a commit, with what the one before it has left open.
  ///
  /// - Returns: The visit. It holds the lock already where that was held for an update.
  func beginVisit(_ file: ArchiveFile) -> ArchiveVisit {
    if let visit = takeHeldVisit() { return visit }
    defer { keptPlace = nil }
    return ArchiveVisit(file, kept: keptPlace)
  }

  /// Ends a commit. A store that appends leaves its folder and its lock's file open.
  func endVisit(_ visit: ArchiveVisit) {
    guard configuration.persistence == .appending else { return visit.end() }
    keptPlace = visit.endKeepingPlace(isShared: configuration.isShared)
  }

  // MARK: Holding the lock for an update

  // Two processes that update one key all the time would else overtake the same one each time: while its closure runs again, the other
  // one commits. So from the third run on the lock is held while the closure runs. Nothing waits for the closure: if it is not done in
  // time, because its actor is busy, the lock is given back.

  /// Holds the lock for an update that was overtaken more than once, until the next commit or for some time: 50 ms, and up to 400 ms
  /// where that was not enough.
  ///
  /// - Parameters:
  ///   - visit: The commit, which is over but for its end.
  ///   - update: The update that has to run again.
  /// - Returns: Whether the lock is held. If not, the caller ends the visit.
  func holdLock(_ visit: ArchiveVisit, for update: StoreTicket?) -> Bool {
    guard let update, update.reopeningCount > 0, visit.isLocked, !memory.isKnownToBeAbsent else { return false }
    visit.forgetFile()
    heldVisit = HeldVisit(visit: visit, number: heldVisit.number + 1)
    let patience = DispatchTimeInterval.milliseconds(50 << min(3, update.reopeningCount - 1))
    schedule(patience) { [number = heldVisit.number] writer in
      if let visit = writer.takeHeldVisit(number) { writer.endVisit(visit) }
    }
    return true
  }

  /// Whether the lock is held for an update.
  var isHoldingLock: Bool { heldVisit.visit != nil }

  /// Gives back the lock that is held for an update.
  func endHeldVisit() {
    if let visit = takeHeldVisit() { endVisit(visit) }
  }

  /// Removes and returns the visit that is held: the one with a number, or any.
  private func takeHeldVisit(_ number: UInt64? = nil) -> ArchiveVisit? {
    guard number == nil || number == heldVisit.number else { return nil }
    defer { heldVisit.visit = nil }
    return heldVisit.visit
  }
}
