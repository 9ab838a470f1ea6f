import FoundationCore
import KeyedArchive

// Performing the plan of a commit. The file is changed first, and only then the contents that readers see.

extension StoreWriter {
  /// Performs a plan that was made from the file as the session found it. A store in memory has no session. If an error
  /// is thrown, nothing was changed, except with code `durabilityUnknown`: then the change was made.
  func perform(_ plan: CommitPlan, _ session: FileSession?) throws {
    switch plan.action {
    case .removeAll: return try removeEverything(plan.draft, session)
    case .sync(let point):
      try sync(point, session)
      return queue.record(plan.draft.clears)
    case .nothing where plan.changes.isEmpty:
      queue.record(plan.draft.clears)
      if memory.isKnownToBeAbsent { try session?.syncRemoval(configuration.durability) }
      return
    case .nothing, .append, .replace: try writeAndPublish(plan, session)
    }
    if case .append(let append) = plan.action { compactAheadOfTime(append) }
  }

  func writeAndPublish(_ plan: CommitPlan, _ session: FileSession?) throws {
    do {
      let written: WrittenFile?
      switch (plan.action, session) {
      case (.append(let append), let session?): written = try self.append(append, session)
      case (.replace(let image, let setsAside), let session?):
        defer { session.forgetFile() }  // The file is a different one now.
        if setsAside { try setAside(session) }
        written = try replace(with: image, session, isSetAside: setsAside)
      default: written = nil  // The store is in memory.
      }
      publishAndNotify(plan, written, session)
    } catch let error as GlobalDataError where error.code == .durabilityUnknown {
      // The file has the new contents, so memory must have them too. The error reports the uncertainty to the callers.
      // The state of the file is unknown now, so the next commit reads the file again.
      publishAndNotify(plan, nil, session)
      throw error
    }
  }

  private func publishAndNotify(_ plan: CommitPlan, _ written: WrittenFile?, _ session: FileSession?) {
    let old = memory.publish(plan, written) { !observers.isEmpty }
    if case .replace = plan.action { forgetFailedCompaction() }
    if plan.draft.keepsNothing { removeOtherCopiesOrReport(session) }
    queue.record(plan.draft.clears)
    guard let old else { return }
    notifyObservers(of: plan.changes.keys, plan.draft.clearsOthers ? .clear : .thisStore, old: old)
  }

  /// Replaces the store's file. The result has an append point even in a store that only rewrites, because the point
  /// reveals appends by other processes.
  func replace(with image: ArchiveImage, _ session: FileSession, isSetAside: Bool) throws -> WrittenFile {
    let (pieces, size, checksum) = try encoded(image, for: session.url)
    guard let result = try session.replace(with: pieces, durability: configuration.durability) else {
      throw MustBeginAgain(url: session.url)
    }
    // The other name of a file that was set aside is the one that it was just given. This name is meant to keep the
    // earlier contents.
    report(result.concessions, session.url, except: isSetAside ? .otherNamesKeepOldContents : nil)
    mustRewrite = false
    // If the file system cannot sync a folder, which was reported, no later sync would make the name safer.
    let appendPoint = AppendPoint(
      offset: size, checksum: checksum, archiveChecksum: checksum, syncedLength: size,
      isNameSynced: configuration.durability == .powerLoss)
    return WrittenFile(stamp: result.stamp, appendPoint: appendPoint)
  }

  /// Returns the bytes of a file, and the checksum of the whole. Throws an error if the file could not be read within
  /// the store's limit.
  func encoded(_ image: ArchiveImage, for url: URL) throws -> (pieces: [SharedBytes], size: Int, checksum: UInt64) {
    let (pieces, checksum) = image.encoded()
    let size = pieces.reduce(0) { $0 + $1.count }
    guard size <= configuration.limits.maximumFileSize else {
      throw GlobalDataError.tooLarge(url, size: size, limits: configuration.limits)
    }
    return (pieces, size, checksum)
  }

  func report(_ concessions: [FileSession.Concession], _ url: URL, except intended: FileSession.Concession? = nil) {
    for concession in FileSession.Concession.allCases where concession != intended && concessions.contains(concession) {
      diagnostics.report(.concession, "\(url.path): \(concession.message)")
    }
  }

  func setAside(_ session: FileSession) throws {
    guard memory.recovery?.setAsideURL == nil else { return }
    memory.recordSetAside(
      at: try session.setAside(limit: configuration.limits.maximumFileSize, configuration.durability, as: .damaged))
  }

  /// Performs clears by removing the file and everything else that contains values. A file behind a symbolic link is
  /// emptied instead: the link stays, and must not lead to nothing.
  private func removeEverything(_ draft: StoreDraft, _ session: FileSession?) throws {
    var contents = StoreContents(session == nil ? .ready : .absent)
    var unknown: GlobalDataError?
    if let session {
      do {
        if try session.archive.hasLink() {
          defer { session.forgetFile() }  // The file is a different one now.
          let image = (memory.knownContents ?? StoreContents(.ready)).image(applying: draft)
          contents = StoreContents(image, .ready, stamp: nil)  // If only the durability is unknown.
          let written = try replace(with: image, session, isSetAside: false)
          contents = StoreContents(image, .ready, stamp: written.stamp, appendPoint: written.appendPoint)
        } else {
          guard try session.remove(durability: configuration.durability) else {
            throw MustBeginAgain(url: session.url)
          }
        }
      } catch let error as GlobalDataError where error.code == .durabilityUnknown {
        unknown = error
      }
    }
    queue.record(draft.clears)
    publish(contents, .clear)
    try removeOtherCopies(session)
    if let unknown { throw unknown }
  }

  /// Removes the copies of cleared values outside the contents: in memory, in set-aside files, and in temporary files
  /// of dead writers.
  private func removeOtherCopies(_ session: FileSession?) throws {
    memory.forgetRecovery()
    try session?.removeSetAsideFiles()
    try session?.removeLeftovers()
  }

  /// Calls ``removeOtherCopies(_:)``, and reports a failure instead of throwing it: a commit that also sets values has
  /// made its writes by then.
  private func removeOtherCopiesOrReport(_ session: FileSession?) {
    do {
      try removeOtherCopies(session)
    } catch {
      diagnostics.report(.leftovers, "other files that contain cleared values could not be removed", error)
    }
  }
}
