import Dispatch
import Foundation

// How queued changes get into the file, one commit after the other. This is the long form, for whatever there may be; the short one is
// in StoreWriter+CommittingAsKnown.

extension StoreWriter {
  /// Commits all changes that are ready as one.
  ///
  /// Blocks for as long as the disk takes.
  ///
  /// - Returns: Why the commit failed; a change that failed by itself, and left the others alone, does not count.
  @discardableResult
  func commitQueue() -> (any Error)? {
    if file != nil, configuration.persistence == .appending, !isHoldingLock,
      let outcome = commitQueueAsKnown(ofSize: .max, maySync: true)
    {
      if case .failure(let error) = outcome { return error }
      return nil
    }
    let tickets = queue.takeReady()
    guard !tickets.isEmpty else { return nil }
    do {
      let rest = try commit(tickets)
      finish(tickets.dropLast(rest.count), nil)
      queue.endCommit(puttingBack: rest)
      return nil
    } catch {
      finish(tickets[...], error)
      queue.endCommit()
      return error
    }
  }

  /// Tells the callers how their changes ended, unless it was decided for one of them before.
  func finish(_ tickets: ArraySlice<StoreTicket>, _ failure: (any Error)?) {
    for ticket in tickets {
      ticket.finish(failure.map { .failure($0) } ?? .success(()))
      ticket.release()
    }
  }

  /// - Returns: The first update that has to run again, and the tickets after it.
  /// - Throws: Why the commit failed.
  private func commit(_ tickets: [StoreTicket]) throws -> ArraySlice<StoreTicket> {
    let visit = file.map(beginVisit)
    var rest: ArraySlice<StoreTicket> = []
    defer { if let visit, !holdLock(visit, for: rest.first) { endVisit(visit) } }
    guard try !haveNothingToRemove(tickets) else { return [] }
    if let visit { try lock(visit, for: tickets[...]) }
    do {
      rest = try commit(tickets[...], visit)
    } catch {
      removeLockOfNothing(visit)
      throw error
    }
    removeLockOfNothing(visit)
    if tickets.dropLast(rest.count).contains(where: { $0.request?.clearsAll == true }) { try removeLinkToNothing() }
    return rest
  }

  /// Whether the changes take something away, and there is no file. They leave no trace then, not even a lock; so this is not
  /// asked again behind it, where another process may have made the file.
  private func haveNothingToRemove(_ tickets: [StoreTicket]) throws -> Bool {
    guard let file, tickets.allSatisfy({ $0.request?.onlyRemoves == true }), try !file.exists() else { return false }
    let visit = ArchiveVisit(file, isForWriting: false)
    defer { visit.end() }
    let contents = try currentContents(visit)
    guard contents.condition == .absent else { return false }
    queue.record(try prepareDraft(of: tickets[...], on: contents).draft.clears)
    return true
  }

  /// Keeps other processes from writing. Where there is no folder, there is nothing that they could write.
  private func lock(_ visit: ArchiveVisit, for tickets: ArraySlice<StoreTicket>) throws {
    guard configuration.isShared, !visit.isLocked else { return }
    try lookAtFile()
    let addsValues = tickets.contains { $0.request?.addsValues == true }
    try visit.lock(timeout: configuration.lockTimeout, makingFolder: addsValues, configuration.durability)
  }

  /// Opens the store before the lock is made: beside a folder or a device, there is to be none.
  private func lookAtFile() throws {
    do {
      try memory.withContents { _ in }
    } catch let error as GlobalDataError where [.damaged, .newerFormat].contains(error.code) {
      // Such a file can be cleared, which the commit decides.
    }
  }

  /// Does work that needs the lock, and does it again where the lock or the file turns out to be another one before anything was
  /// written: something removed or replaced it, or the path leads elsewhere by now.
  ///
  /// - Parameters:
  ///   - visit: The visit, during which the lock is held.
  ///   - lockAgain: Takes the lock again.
  ///   - work: The work. What it reads before it writes may be different each time.
  /// - Throws: What the work throws, and why the lock cannot be taken again.
  func keepingLock(_ visit: ArchiveVisit?, _ lockAgain: () throws -> Void, _ work: () throws -> Void) throws {
    let deadline = ContinuousClock.now + configuration.lockTimeout
    while true {
      do {
        return try work()
      } catch {
        guard let visit, visit.mustBeginAgain, ContinuousClock.now < deadline else { throw error }
        visit.unlock()
        try lockAgain()
      }
    }
  }

  private func keepingLock(
    _ visit: ArchiveVisit?, for tickets: ArraySlice<StoreTicket>, _ work: () throws -> Void
  ) throws {
    try keepingLock(visit, { if let visit { try lock(visit, for: tickets) } }, work)
  }

  /// Where there is no file, there is to be no lock's file either; its holder may remove it.
  func removeLockOfNothing(_ visit: ArchiveVisit?) {
    guard let file, memory.isKnownToBeAbsent, let visit, visit.mayRemoveLock() else { return }
    do {
      try file.removeLockFile()
    } catch {
      // It is empty, and the next clear tries again.
      diagnostics.report(.leftovers, "the file of a lock could not be removed", error)
    }
  }

  /// After a clear, a symbolic link to the file would lead nowhere.
  private func removeLinkToNothing() throws {
    guard let file, try memory.withContents({ $0.condition == .absent }) else { return }
    try file.removeLink(durability: configuration.durability)
  }

  /// - Returns: The first update that has to run again, and the tickets after it. They are not committed.
  func commit(_ tickets: ArraySlice<StoreTicket>, _ visit: ArchiveVisit?) throws -> ArraySlice<StoreTicket> {
    // A clear is a step of its own: what is written after it in the same commit must find nothing to keep or set aside.
    guard let clear = tickets.lastIndex(where: { $0.request?.clearsAll == true }) else {
      return try commitTogether(tickets, visit)
    }
    let later = tickets[(clear + 1)...]
    var ready = clear
    do {
      try keepingLock(visit, for: tickets) {
        ready = try evaluate(tickets[..<clear], visit)
        guard ready == clear else { return }
        try removeEverything([StoreClear(number: tickets[clear].number, keptKeys: [])], visit)
      }
    } catch {
      for ticket in tickets[...clear] { ticket.finish(.failure(error)) }
      // What was asked for after the clear does not fail with it.
      let rest = try commitTogether(later, visit)
      for ticket in later.dropLast(rest.count) { ticket.finish(.success(())) }
      guard rest.isEmpty else { return rest }
      throw error
    }
    guard ready == clear else { return try commit(tickets[..<ready], visit) + tickets[ready...] }
    do {
      return try commitTogether(later, visit)
    } catch {
      // The clear is done, even if what was asked for after it failed.
      for ticket in tickets[...clear] { ticket.finish(.success(())) }
      throw error
    }
  }

  private func commitTogether(
    _ tickets: ArraySlice<StoreTicket>, _ visit: ArchiveVisit?
  ) throws -> ArraySlice<StoreTicket> {
    guard !tickets.isEmpty else { return [] }
    do {
      var rest: ArraySlice<StoreTicket> = []
      try keepingLock(visit, for: tickets) {
        let (commit, count) = try prepare(tickets, visit)
        rest = tickets.dropFirst(count)
        try self.commit(commit, visit)
      }
      return rest
    } catch let error as GlobalDataError where error.code == .fileTooLarge && tickets.count > 1 {
      // Perhaps only one of them makes it so.
      return try commitOneByOne(tickets, visit)
    }
  }

  private func commitOneByOne(
    _ tickets: ArraySlice<StoreTicket>, _ visit: ArchiveVisit?
  ) throws -> ArraySlice<StoreTicket> {
    for index in tickets.indices where !tickets[index].isDone {
      let ticket = tickets[index]
      do {
        var count = 0
        try keepingLock(visit, for: [ticket]) {
          let commit: PreparedCommit
          (commit, count) = try prepare([ticket], visit)
          try self.commit(commit, visit)
        }
        guard count == 1 else { return tickets[index...] }
        ticket.finish(.success(()))
      } catch let error as GlobalDataError where error.code == .fileTooLarge {
        ticket.finish(.failure(error))
      }
    }
    return []
  }

  /// - Returns: The commit, and the number of tickets in it: it ends before an update that has to run again.
  private func prepare(
    _ tickets: ArraySlice<StoreTicket>, _ visit: ArchiveVisit?
  ) throws -> (commit: PreparedCommit, count: Int) {
    let contents = try writableContents(visit)
    let (draft, count) = try prepareDraft(of: tickets, on: contents)
    let changes = draft.changes(to: contents)
    let commit = PreparedCommit(
      draft: draft, changes: changes, output: output(of: draft, changes, on: contents),
      setsAside: contents.condition == .damaged && !draft.keepsNothing)
    return (commit, count)
  }

  private func output(
    of draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents
  ) -> PreparedCommit.Output {
    guard file != nil, !changes.isEmpty, !draft.clearsAll else { return .nothing }
    if let append = append(of: draft, changes, on: contents) { return .append(append) }
    return .image(image(of: draft, on: contents))
  }

  /// The whole file with a draft's changes.
  func image(of draft: StoreDraft, on contents: StoreContents) -> ArchiveImage {
    var image = ArchiveImage(
      identity: contents.identity, generation: contents.generation &+ 1, entries: contents.entries(applying: draft))
    image.entries.gatherIfScattered()
    return image
  }

  /// What is to be appended, where the store appends, the file can be appended to, and would not be half out of date.
  func append(
    of draft: StoreDraft, _ changes: KeyChanges, on contents: StoreContents
  ) -> PreparedAppend? {
    // What is cleared must not stay in the file.
    guard configuration.persistence == .appending, !draft.clearsOthers, contents.condition == .ready, !mustRewrite,
      let point = contents.appendPoint, let stamp = contents.stamp
    else { return nil }
    let syncsBefore = ArchiveFile.syncsBeforeAppending(at: point, configuration.durability)
    let syncedLength = syncsBefore ? point.offset : point.syncedLength
    let change = ArchiveChange(
      generation: contents.generation &+ 1, syncedLength: syncedLength, previousChecksum: point.checksum,
      steps: draft.steps(changes, on: contents))
    let (bytes, checksum) = change.encoded(archiveChecksum: point.archiveChecksum)
    let end = point.offset + bytes.count
    var liveBytes = contents.recordBytes
    for step in change.steps {
      if case .set(let entry) = step { liveBytes += entry.record.count }
    }
    for key in changes.replaced { liveBytes -= contents.recordLength(of: key) }
    for key in changes.removed { liveBytes -= contents.recordLength(of: key) }
    for key in changes.moved where !changes.replaced.contains(key) { liveBytes -= contents.recordLength(of: key) }
    guard end <= ArchiveFile.greatestEnd(liveBytes: liveBytes),
      end + ArchiveFile.roomLength <= configuration.limits.maximumFileSize
    else { return nil }
    let nextPoint = AppendPoint(
      offset: end, checksum: checksum, archiveChecksum: point.archiveChecksum,
      syncedLength: configuration.durability == .powerLoss ? end : syncedLength,
      isNameSynced: point.isNameSynced || configuration.durability == .powerLoss)
    return PreparedAppend(
      bytes: bytes, point: point, syncsBefore: syncsBefore, nextPoint: nextPoint, stamp: stamp,
      isCompactionDue: ArchiveFile.isCompactionDue(end: end, liveBytes: liveBytes))
  }

  /// The contents of the file as it is now, if it may be written.
  private func writableContents(_ visit: ArchiveVisit?) throws -> StoreContents {
    let contents = try currentContents(visit)
    if case .newer(let version) = contents.condition {
      throw GlobalDataError.cannotWriteNewer(version, location.url)
    }
    return contents
  }

  /// Returns what the changes do together, and the number of tickets in it: it ends before an update that has to run again.
  ///
  /// A change that fails is finished, and has no part in it.
  func prepareDraft(
    of tickets: ArraySlice<StoreTicket>, on contents: StoreContents
  ) throws -> (draft: StoreDraft, count: Int) {
    var next = DraftedContents(contents: contents)
    // One that has failed before the commit began again stays without a part in it: its caller gets its error.
    for (count, ticket) in tickets.enumerated() where !ticket.isDone {
      guard let change = ticket.request else { return (next.draft, count) }
      if case .update(let update) = change, try !update.isCurrent(in: next, memory) { return (next.draft, count) }
      do {
        try next.apply(change, number: ticket.number, queue, in: location.url)
      } catch {
        ticket.finish(.failure(error))
      }
    }
    return (next.draft, tickets.count)
  }

  /// Finds out how changes end that a later clear removes.
  ///
  /// - Returns: The index of the first update that has to run again, or the end.
  /// - Throws: Why the file cannot be read, where it must not be removed either: it is not ours, or locked.
  private func evaluate(_ tickets: ArraySlice<StoreTicket>, _ visit: ArchiveVisit?) throws -> Int {
    do {
      return tickets.startIndex + (try prepareDraft(of: tickets, on: writableContents(visit))).count
    } catch let error as GlobalDataError where [.damaged, .newerFormat].contains(error.code) {
      // What is to be thrown away need not be readable. An update needed to read it, though.
      for ticket in tickets { if case .update? = ticket.request { ticket.finish(.failure(error)) } }
      return tickets.endIndex
    }
  }

  /// Writes a commit's outcome to the file, and only then publishes it.
  func commit(_ commit: PreparedCommit, _ visit: ArchiveVisit?) throws {
    if commit.draft.clearsAll { return try removeEverything(commit.draft.clears, visit) }
    guard !commit.changes.isEmpty else {
      try syncWhatWasFound(visit)
      return queue.record(commit.draft.clears)
    }
    try writeAndPublish(commit, visit)
    if case .append(let append) = commit.output { compactAheadOfTime(append) }
  }

  func writeAndPublish(_ commit: PreparedCommit, _ visit: ArchiveVisit?) throws {
    let origin: GlobalData.Change.Origin = commit.draft.clearsOthers ? .clear : .thisStore
    let old = oldEntries(of: commit.changes.replaced + commit.changes.removed + commit.changes.moved)
    do {
      publish(commit, try write(commit, visit))
      queue.record(commit.draft.clears)
      if !observers.isEmpty { notifyObservers(of: commit.changes.keys, origin, old: old) }
      if commit.draft.keepsNothing { try forgetTheRest() }
    } catch let error as GlobalDataError where error.code == .durabilityUnknown {
      // The file has the new contents, so memory must have them too; the callers are told what is not certain. What
      // the file looks like now is unknown, so that the next commit reads it again.
      publish(commit, nil)
      queue.record(commit.draft.clears)
      notifyObservers(of: commit.changes.keys, origin, old: old)
      throw error
    }
  }

  /// - Returns: What the file looks like afterwards; `nil` where there is none.
  private func write(_ commit: PreparedCommit, _ visit: ArchiveVisit?) throws -> WrittenFile? {
    guard let visit else { return nil }
    switch commit.output {
    case .nothing: return nil
    case .image(let image):
      defer { visit.forgetFile() }  // It is another one now.
      if commit.setsAside { try setAside(visit.file) }
      return try write(image, visit, isSetAside: commit.setsAside)
    case .append(let append):
      defer { visit.forgetFile() }  // It may have another length.
      return try self.append(append, visit)
    }
  }

  /// Brings to the medium what another writer may not have, where a caller is to hear that it is there for good.
  private func syncWhatWasFound(_ visit: ArchiveVisit?) throws {
    guard configuration.durability == .powerLoss, let visit, var point = memory.knownContents?.appendPoint,
      point.syncedLength < point.offset || !point.isNameSynced
    else { return }
    try visit.sync()
    point.syncedLength = point.offset
    point.isNameSynced = true
    memory.recordSynced(point)
  }

  private func append(_ append: PreparedAppend, _ visit: ArchiveVisit) throws -> WrittenFile {
    recordAppending(hasFailed: true)  // Until the append has returned.
    let stamp = try visit.file.append(
      append.bytes, at: append.point, after: append.stamp, syncsBefore: append.syncsBefore,
      syncsAfter: configuration.durability == .powerLoss, looksAgain: !append.wasMadeBefore, during: visit)
    recordAppending(hasFailed: false)
    guard let stamp else { throw visit.beginAgain() }
    return WrittenFile(stamp: stamp, appendPoint: append.nextPoint)
  }

  func write(
    _ image: ArchiveImage, _ visit: ArchiveVisit, isSetAside: Bool
  ) throws -> WrittenFile {
    let file = visit.file
    let (pieces, checksum) = image.encoded()
    let size = pieces.reduce(0) { $0 + $1.count }
    guard size <= configuration.limits.maximumFileSize else {
      throw GlobalDataError.tooLarge(file.url, size: size, limits: configuration.limits)
    }
    var result = try file.replace(with: pieces, durability: configuration.durability, during: visit)
    // Its other name is the one that it was just given, and is to keep the earlier contents.
    if isSetAside { result.concessions.remove(.otherNamesKeepOldContents) }
    for concession in result.concessions.descriptions {
      diagnostics.report(.concession, "\(file.url.path): \(concession)")
    }
    recordAppending(hasFailed: false)
    let appendPoint = AppendPoint(
      offset: size, checksum: checksum, archiveChecksum: checksum, syncedLength: size,
      isNameSynced: configuration.durability == .powerLoss)
    return WrittenFile(stamp: result.stamp, appendPoint: appendPoint)
  }

  /// The damaged file must be safe under its new name before another takes the old one.
  private func setAside(_ file: ArchiveFile) throws {
    guard memory.recovery?.setAsideURL == nil else { return }
    memory.recordSetAside(at: try file.setAside(limit: configuration.limits.maximumFileSize, configuration.durability))
  }

  /// Removes the file, and all else that holds values, for clears that this makes.
  private func removeEverything(_ clears: [StoreClear], _ visit: ArchiveVisit?) throws {
    let keys = memory.knownKeys
    let old = oldEntries(of: keys)
    if let file {
      try visit?.checkLock()
      visit?.forget()  // What was looked at is about to be gone.
      var unknown: GlobalDataError?
      do {
        try file.remove(durability: configuration.durability)
      } catch {
        guard error.code == .durabilityUnknown else { throw error }
        unknown = error
      }
      publish(StoreContents(.absent))
      queue.record(clears)
      notifyObservers(of: keys, .clear, old: old)
      try forgetTheRest()
      if let unknown { throw unknown }
    } else {
      publish(StoreContents(.ready))
      queue.record(clears)
      notifyObservers(of: keys, .clear, old: old)
      try forgetTheRest()
    }
  }

  /// Forgets what is left of cleared values beside the contents: in memory, in files that were set aside, and in those that
  /// dead writers left.
  private func forgetTheRest() throws {
    memory.forgetRecovery()
    try file?.removeSetAsideFiles()
    try file?.removeLeftovers()
  }
}
