#if canImport(Darwin)
import Dispatch
import FoundationCore

/// A watch that reports events on names in folders, by kqueue. It needs no thread and no time while nothing happens.
///
/// A folder reports that its names changed, but not which. A file reports that it was written. So each existing file
/// has its own source. A change of a folder's names counts as a change of the folder: the watch is created again, with
/// the file that exists then.
///
/// Source: kqueue(2), EVFILT_VNODE, by way of `DispatchSource`.
final class FolderWatch {
  /// Starts watching paths. Throws if a folder does not exist, if the process has too many open files, or if a file
  /// cannot be opened, for example because the device is locked.
  ///
  /// `onEvent` is called on a serial queue. Many events of one file or folder that wait for the queue cause a single
  /// call. Its argument is `true` if the watch has to be created again.
  init(
    _ paths: [WatchedPath], on queue: DispatchQueue, _ onEvent: @escaping @Sendable (Bool) -> Void
  ) throws(SystemCallError) {
    for path in paths {
      // Open a link before the folder that it leads to. If it is switched in between, the watch reports that.
      var letter: CChar = 0
      if readlink(path.folder, &letter, 1) >= 0 {
        let link = open(path.folder, O_EVTONLY | O_SYMLINK | O_CLOEXEC)
        if link >= 0 { add(link, [.delete, .rename], on: queue) { onEvent(true) } }
      }
      // The descriptor is not for reading or writing: a volume with such a descriptor can be ejected.
      let folder = open(path.folder, O_EVTONLY | O_CLOEXEC)
      guard folder >= 0 else { throw SystemCallError(.open, errno) }
      add(folder, [.write, .delete, .rename, .revoke], on: queue) { onEvent(true) }
      guard let name = path.name else { continue }
      let file = openat(folder, name, O_EVTONLY | O_CLOEXEC)
      if file >= 0 {
        add(file, [.write, .extend], on: queue) { onEvent(false) }
      } else if errno != ENOENT {
        // Nothing would report what is appended to the file. Without a file, the folder reports its creation.
        throw SystemCallError(.openat, errno)
      }
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }

  private var sources: [any DispatchSourceFileSystemObject] = []

  private func add(
    _ descriptor: Int32, _ events: DispatchSource.FileSystemEvent, on queue: DispatchQueue,
    _ onEvent: @escaping @Sendable () -> Void
  ) {
    let source = DispatchSource.makeFileSystemObjectSource(fileDescriptor: descriptor, eventMask: events, queue: queue)
    source.setEventHandler(handler: onEvent)
    source.setCancelHandler { close(descriptor) }
    source.activate()
    sources.append(source)
  }
}
#endif
