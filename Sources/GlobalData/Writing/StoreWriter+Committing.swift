import FoundationCore

// A commit locks the file, examines it, decides what to do, does it, and shows readers the result. CommitPlan makes the
// decision. StoreWriter+Performing contains the work on the file.
//
// A commit that may wait takes all queued tickets that are ready. A commit that must not wait runs on the caller's
// thread. If it would have to wait, it stops before it has done anything, and the store's own thread makes the commit.

extension StoreWriter {
  // MARK: Without waiting

  /// Commits a change that is not queued, if the commit does not block. Returns `false` if nothing was done.
  func commitImmediately(_ change: StoreTicket.Request, number: UInt64) throws -> Bool {
    try commitImmediately { try $0.apply(change, number: number, queue, in: location.url) }
  }

  /// Commits all queued tickets, if the commit does not block and adds at most `limit` bytes. Returns `false` if the
  /// tickets are still queued.
  func commitQueueImmediately(ofSize limit: Int) -> Bool {
    guard let tickets = queue.takeReady(ofSize: limit) else { return false }
    guard !tickets.isEmpty else { return true }
    var batch = CommitBatch(tickets)
    do {
      let isDone = try commitImmediately { next in
        for ticket in tickets {
          guard let change = ticket.request else { continue }
          if case .update(let update) = change, try !update.isCurrent(in: next, memory) {
            throw StoreTicket.MustRunAgain()
          }
          try next.apply(change, number: ticket.number, queue, in: location.url)
        }
      }
      guard isDone else {
        queue.putBack(tickets)
        return false
      }
      batch.succeed()
    } catch {
      batch.fail(with: error)
    }
    batch.finish()
    queue.endCommit()
    return true
  }

  private func commitImmediately(_ change: (inout DraftedContents) throws -> Void) throws -> Bool {
    guard !isHoldingLock else { return false }
    let session = file.map { beginSession($0, .writingImmediately) }
    defer { session.map(endSession) }
    guard let plan = planImmediately(change, session) else { return false }
    do {
      try perform(plan, session)
      return true
    } catch is MustBeginAgain {
      return false
    }
  }

  /// Plans a commit that must not wait, or returns `nil`. The contents are not held beyond this function, because the
  /// commit would copy contents that are still held.
  private dynamic func planImmediately(
    _ change: (inout DraftedContents) throws -> Void, _ session: FileSession?
  ) -> CommitPlan? {
    do {
      guard let contents = session == nil ? try memory.withContents({ $0 }) : memory.knownContents else { return nil }
      var next = DraftedContents(contents: consume contents)  // Another copy would take longer than finding a key.
      if let session {
        guard next.contents.appendPoint != nil, try session.lockImmediately(isShared: configuration.isShared),
          try !isOutdated(next.contents, session)
        else { return nil }
      }
      try change(&next)
      return CommitPlan.withoutWaiting(next.draft, on: next.contents, policy)
    } catch {
      return nil  // A commit that may wait gets the same error, and waits or reports it.
    }
  }

  // MARK: On the store's thread

  /// Commits all ready changes. Returns the error if the commit failed, apart from changes that fail individually.
  @discardableResult
  func commitQueue() -> (any Error)? {
    var batch = CommitBatch(queue.takeReady())
    guard !batch.isDone else { return nil }
    let session = file.map { beginSession($0) }
    do {
      try commitAll(of: &batch, session)
    } catch {
      batch.fail(with: error)
    }
    if let session {
      // The rest of the batch begins with an update that has to run again.
      let isHeld = batch.rest.first.map { holdLock(session, for: $0) } ?? false
      if !isHeld { endSession(session) }
    }
    // The batch ends only now, so that the lock is free when a caller learns the outcome of its write, unless the lock
    // is held for an update.
    batch.finish()
    queue.endCommit(puttingBack: batch.rest)
    retryWatching()
    return batch.failure
  }

  private func commitAll(of batch: inout CommitBatch, _ session: FileSession?) throws {
    if try finishWithoutFile(batch.rest) { return batch.succeed() }
    // Take the lock once for the whole batch. If another process keeps the lock, all tickets fail.
    if let session { try lockAfterLoading(session, creatingFolder: addsValues(batch.rest)) }
    while !batch.isDone {
      guard commitNextPart(of: &batch, session) else { break }
    }
    if let session, memory.isKnownToBeAbsent { removeLockFile(session) }
  }

  /// Commits the next tickets of a batch together. Returns `false` before an update that has to run again.
  ///
  /// A clear of everything ends its part, because later writes must find nothing to keep or to set aside. A part that
  /// fails does not affect the parts after it.
  private func commitNextPart(of batch: inout CommitBatch, _ session: FileSession?) -> Bool {
    let part = batch.nextPart
    do {
      let outcome = try commitTogether(part, session)
      batch.end(outcome)
      return outcome.count == part.count
    } catch let error as GlobalDataError where error.code == .fileTooLarge && part.count > 1 {
      // Perhaps only one of the tickets makes the file too large.
      return commitOneByOne(part.count, of: &batch, session)
    } catch {
      batch.fail(part.count, with: error)
      return true
    }
  }

  private func commitOneByOne(_ count: Int, of batch: inout CommitBatch, _ session: FileSession?) -> Bool {
    for _ in 0..<count {
      do {
        let outcome = try commitTogether(batch.rest.prefix(1), session)
        guard outcome.count == 1 else { return false }
        batch.end(outcome)
      } catch let error as GlobalDataError where error.code == .fileTooLarge {
        batch.fail(1, with: error, isAlone: true)
      } catch {
        batch.fail(1, with: error)
      }
    }
    return true
  }

  private func commitTogether(_ tickets: ArraySlice<StoreTicket>, _ session: FileSession?) throws -> PartOutcome {
    // The lock is already held, unless an earlier part has lost it.
    try keepingLock(session, creatingFolder: addsValues(tickets)) {
      let (decided, plan) = try self.plan(tickets, session)
      var outcome = decided
      do {
        try perform(plan, session)
      } catch let error as GlobalDataError where error.code == .durabilityUnknown {
        outcome.unknown = error
      }
      return outcome
    }
  }

  struct PartOutcome {
    /// The number of decided tickets, up to an update that has to run again.
    var count = 0
    /// The tickets that fail individually and are not part of the commit.
    var failures: [(ticket: StoreTicket, error: any Error)] = []
    /// The error if the changes of the other decided tickets were made but may not survive a power cut.
    var unknown: GlobalDataError?
  }

  /// Plans the commit of some tickets. The contents are not held beyond this function, because an append would have to
  /// copy them.
  private func plan(_ tickets: ArraySlice<StoreTicket>, _ session: FileSession?) throws -> (PartOutcome, CommitPlan) {
    let contents: StoreContents
    do {
      contents = try writableContents(session)
    } catch let error as GlobalDataError where [.damaged, .newerFormat].contains(error.code) {
      guard let clear = tickets.last, clear.request?.clearsAll == true else { throw error }
      // A file that is removed need not be readable. An update, however, needed to read it.
      let updates = tickets.filter { if case .update? = $0.request { true } else { false } }
      let outcome = PartOutcome(count: tickets.count, failures: updates.map { ($0, error) })
      return (outcome, CommitPlan(removingFor: StoreClear(number: clear.number, keptKeys: [])))
    }
    let (draft, outcome) = try drafting(tickets, on: contents)
    return (outcome, CommitPlan(draft, on: contents, policy))
  }

  /// Syncs contents that have not been synced yet, as after an error with code `durabilityUnknown`.
  @inline(never)
  func syncUnchanged(_ contents: StoreContents, _ session: FileSession) throws {
    try perform(CommitPlan(StoreDraft(), on: contents, policy), session)
  }

  private var policy: CommitPlan.Policy {
    CommitPlan.Policy(
      hasFile: file != nil, persistence: configuration.persistence, durability: configuration.durability,
      maximumFileSize: configuration.limits.maximumFileSize, mustRewrite: mustRewrite)
  }

  private func drafting(
    _ tickets: ArraySlice<StoreTicket>, on contents: StoreContents
  ) throws -> (StoreDraft, PartOutcome) {
    var next = DraftedContents(contents: contents)
    var result = PartOutcome()
    for ticket in tickets {
      guard let change = ticket.request else { break }
      if case .update(let update) = change, try !update.isCurrent(in: next, memory) { break }
      do {
        try next.apply(change, number: ticket.number, queue, in: location.url)
      } catch {
        result.failures.append((ticket, error))
      }
      result.count += 1
    }
    return (next.draft, result)
  }

  /// Returns the current contents of the file. Throws an error if the file may not be written.
  func writableContents(_ session: FileSession?) throws -> StoreContents {
    let contents = try currentContents(session)
    if case .newer(let version) = contents.condition { throw GlobalDataError.cannotWriteNewer(version, location.url) }
    return contents
  }

  // MARK: The lock

  /// Finishes changes that only remove values if there is no file, and returns whether it did. They leave no trace, not
  /// even a lock. Therefore, the absence of the file is not checked again with the lock held, although another process
  /// may have created the file by then.
  private func finishWithoutFile(_ tickets: ArraySlice<StoreTicket>) throws -> Bool {
    guard let file, tickets.allSatisfy({ $0.request?.onlyRemoves == true }) else { return false }
    let session = FileSession(file, .reading)
    defer { session.end() }
    guard try !session.exists() else { return false }
    let contents = try currentContents(session)
    guard contents.condition == .absent else { return false }
    queue.record(try drafting(tickets, on: contents).0.clears)
    try session.syncRemoval(configuration.durability)
    return true
  }

  /// Returns whether some of the changes need a folder for the file. Without a folder, there is nothing that other
  /// processes could write.
  private func addsValues(_ tickets: ArraySlice<StoreTicket>) -> Bool {
    tickets.contains { $0.request.map { $0.size > 0 } ?? false }
  }

  /// Takes the lock after loading the contents, so that no lock is created next to something that is not a store's
  /// file, such as a folder.
  private func lockAfterLoading(_ session: FileSession, creatingFolder: Bool) throws {
    guard configuration.isShared, !session.isLocked else { return }
    do {
      try memory.load()
    } catch let error as GlobalDataError where [.damaged, .newerFormat].contains(error.code) {
      // Such a file can be cleared, recovered or replaced. Its operation decides whether it is.
    }
    try lock(session, creatingFolder: creatingFolder)
  }

  /// Takes the lock. Does nothing if the lock is already held or if no other process may write.
  func lock(_ session: FileSession, creatingFolder: Bool, timeout: Duration? = nil) throws {
    guard configuration.isShared, !session.isLocked else { return }
    try session.lock(
      timeout: timeout ?? configuration.lockTimeout, creatingFolder: creatingFolder, configuration.durability)
  }

  /// Takes the lock and does work that needs it. Repeats both if the lock or the file was replaced before anything was
  /// written, or if the path now leads elsewhere. The work may read different contents each time.
  dynamic func keepingLock<Answer>(
    _ session: FileSession?, creatingFolder: Bool, work: () throws -> Answer
  ) throws -> Answer {
    let deadline = SteadyClock.now + configuration.lockTimeout
    var attempts = 0
    while true {
      if let session { try lockAfterLoading(session, creatingFolder: creatingFolder) }
      attempts += 1
      do {
        return try work()
      } catch let lost as MustBeginAgain {
        // Make at least three attempts, even on a slow machine.
        guard attempts < 3 || SteadyClock.now < deadline else { throw GlobalDataError.keepsBeingReplaced(lost.url) }
        session?.end()
      }
    }
  }

  /// Removes the lock file once no store is left.
  @inline(never)
  func removeLockFile(_ session: FileSession) {
    do {
      try session.removeLockFile()
    } catch {
      // The file is empty, and the next clear tries to remove it again.
      diagnostics.report(.leftovers, "a lock file could not be removed", error)
    }
  }
}
