import FoundationCore

// While a store has observers, it reads changes by other processes as soon as they are in the file.

extension StoreWriter {
  /// Starts or stops watching the file.
  func updateWatching() {
    guard let file, !observers.isEmpty, configuration.isShared, configuration.watchesFile,
      // Other system calls belong to a test, whose files need not exist.
      file.system is POSIXSystemCalls
    else {
      watch = nil
      isWatchRefused = false
      return
    }
    if watch == nil { beginWatching(file) }
  }

  /// Tries again to watch the file if the system refused, for example because too many files were open or watched.
  /// Called after a write or a requested read: without a watch, nothing else triggers a new attempt.
  func retryWatching() {
    if isWatchRefused { updateWatching() }
  }

  /// Reads the file after an event. Events that arrive in the meantime count as one.
  func fileMayHaveChanged(_ mustWatchAgain: Bool) {
    guard let file, watch != nil else { return }
    if mustWatchAgain || !isWatchingStore { return beginWatching(file) }
    readForObservers()
  }

  private func beginWatching(_ file: ArchiveFile) {
    do {
      // Each attempt finds a folder that was created during the previous one.
      for _ in 0..<8 {
        let (watch, isWhole) = try newWatch(of: file.followPath())
        self.watch = watch
        isWatchingStore = isWhole
        isWatchRefused = false
        let location = try file.followPath()
        if isWhole || !FileManager.default.fileExists(atPath: location.folder) { break }
      }
    } catch {
      watch = nil
      defer { isWatchRefused = true }
      guard !isWatchRefused else { return }  // The refusal was reported. The caller that tries again reads the file.
      diagnostics.report(
        .concession, "\(file.url.path) cannot be watched; changes of other processes appear only after the next write",
        error)
    }
    readForObservers()
  }

  /// Returns a watch of the file's folder, or of its nearest existing ancestor, which reports when the folder is
  /// created.
  private func newWatch(of location: FileLocation) throws -> (FolderWatch, isWhole: Bool) {
    var folder = location.folder
    while true {
      let isWhole = folder == location.folder
      var places = [WatchedPlace(folder: folder, name: isWhole ? location.name : nil)]
      if location.isBehindLink, let path = self.location.url?.path {
        places.append(WatchedPlace(folder: FileLocation.parent(of: path), name: FileLocation.lastComponent(of: path)))
      }
      do {
        return (try FolderWatch(places, onFileEvent), isWhole)
      } catch {
        guard error.isAbsent, folder != "/" else { throw error }
        folder = FileLocation.parent(of: folder)
      }
    }
  }

  private func readForObservers() {
    do {
      try refresh()
    } catch {
      diagnostics.report(.readFailed, "a change of another process could not be read", error)
    }
  }
}
