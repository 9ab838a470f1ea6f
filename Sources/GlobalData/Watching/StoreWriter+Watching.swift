import FoundationCore

// What other processes write is read as soon as it is there, for as long as somebody observes the store.

extension StoreWriter {
  /// Begins or ends to watch the file.
  func updateWatching() {
    guard let file, !observers.isEmpty, configuration.isShared, configuration.watchesFile,
      // Other calls are a test's, whose files need not be there.
      file.system is POSIXSystemCalls
    else {
      watch = nil
      isWatchRefused = false
      return
    }
    if watch == nil { beginWatching(file) }
  }

  /// Tries again what the system refused, as where too many files were open or watched. Called after a write or a
  /// reading that was asked for: nothing else comes along where nothing tells of changes.
  func retryWatching() {
    if isWatchRefused { updateWatching() }
  }

  /// Reads the file after an event. Events that come meanwhile are one.
  func fileMayHaveChanged(_ mustWatchAgain: Bool) {
    guard let file, watch != nil else { return }
    if mustWatchAgain || !isWatchingStore { return beginWatching(file) }
    readForObservers()
  }

  private func beginWatching(_ file: ArchiveFile) {
    do {
      // What comes into being between two looks is found by the next one.
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
      guard !isWatchRefused else { return }  // It was told, and what is there is read by whoever tries again.
      diagnostics.report(
        .concession, "\(file.url.path) cannot be watched; changes of other processes appear only after the next write",
        error)
    }
    readForObservers()
  }

  /// Returns a watch of the file's folder, or of the nearest one around it, whose names are to tell when the folder is
  /// there.
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
