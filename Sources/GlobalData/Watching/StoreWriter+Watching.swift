import Dispatch
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
    guard watch == nil else { return }
    if isWatchRefused { retryLater() } else { beginWatching(file) }
  }

  /// Tries again to watch the file if the system refused, for example because too many files were open or watched.
  /// Called after a write or a requested read, and each second.
  func retryWatching() {
    guard isWatchRefused else { return }
    isWatchRefused = false
    updateWatching()
  }

  /// Tries again in a second to watch the file or, if `mustReadAgain` is true, to read it. No event will cause that.
  /// For example, the system reports nothing when a device is unlocked.
  private func retryLater() {
    guard !isRetryExpected, !observers.isEmpty else { return }
    isRetryExpected = true
    schedule(.seconds(1)) { writer in
      writer.isRetryExpected = false
      writer.retryWatching()
      if writer.mustReadAgain, !writer.observers.isEmpty { writer.readForObservers() }
    }
  }

  /// Called after the file was read for the first time. If it could not be read, tries again later.
  func fileWasLoaded() {
    if reportLoading() {
      updateWatching()
    } else if memory.condition == .locked {
      mustReadAgain = true
      retryLater()
    }
  }

  /// Reads the file after an event. Events that arrive in the meantime count as one.
  func fileMayHaveChanged(_ mustWatchAgain: Bool) {
    guard let file, watch != nil else { return }
    if mustWatchAgain || watchedLocation == nil { return beginWatching(file) }
    readForObservers()
  }

  private func beginWatching(_ file: ArchiveFile) {
    do {
      // Each attempt finds a folder that was created during the previous one.
      for _ in 0..<8 {
        let location = try file.followPath()
        let (watch, isWhole) = try newWatch(of: location, for: file.url)
        self.watch = watch
        watchedLocation = isWhole ? location : nil
        isWatchRefused = false
        if try isWhole || !FileManager.default.fileExists(atPath: file.followPath().folder) { break }
      }
    } catch {
      watch = nil
      isWatchRefused = true
      diagnostics.report(
        .concession, "\(file.url.path) cannot be watched; changes of other processes are read once a second", error)
      retryLater()
    }
    readForObservers()
  }

  /// Returns a watch of the file's folder, or of its nearest existing ancestor, which reports when the folder is
  /// created.
  private func newWatch(
    of location: FileLocation, for url: URL
  ) throws(GlobalDataError) -> (FolderWatch?, isWhole: Bool) {
    var folder = location.folder
    while true {
      let isWhole = folder == location.folder
      var paths = [WatchedPath(folder: folder, name: isWhole ? location.name : nil)]
      if location.isBehindLink {
        paths.append(
          WatchedPath(folder: FileLocation.parent(of: url.path), name: FileLocation.lastComponent(of: url.path)))
      }
      do {
        return (try watchFolders(paths), isWhole)
      } catch {
        guard error.isAbsent, folder != "/" else { throw .reading("watch", error, url) }
        folder = FileLocation.parent(of: folder)
      }
    }
  }

  func readForObservers() {
    mustReadAgain = false
    do {
      try refresh()
      // A link may lead elsewhere now, and no event reports what is written there.
      if let file, watch != nil, let watchedLocation, try file.currentLocation() != watchedLocation {
        beginWatching(file)
      }
    } catch {
      diagnostics.report(.readFailed, "a change of another process could not be read", error)
      let code = (error as? GlobalDataError)?.code
      guard let code, [.locked, .readFailed, .danglingLink].contains(code) else { return }
      mustReadAgain = true
      retryLater()
    }
  }
}
