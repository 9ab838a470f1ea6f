#if os(Linux) || os(Android)
import CLinux
import Dispatch
import FoundationCore

/// A watch that reports events on names in folders, by inotify. It needs no thread and no time while nothing happens.
///
/// Source: inotify(7) of the Linux manual.
final class FolderWatch {
  /// Starts watching paths. Throws if a folder does not exist, or if the system cannot watch more.
  ///
  /// `onEvent` is called on a serial queue. Many events that wait for the queue cause a single call. Its argument is
  /// `true` if a folder itself was moved or removed, or if events were lost.
  init(
    _ paths: [WatchedPath], on queue: DispatchQueue, _ onEvent: @escaping @Sendable (Bool) -> Void
  ) throws(SystemCallError) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemCallError(.watch, errno) }
    let events = UInt32(
      IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF
        | IN_ONLYDIR)
    // The same folder may already be watched for more events.
    let namesOnly = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD)
    var names: [WatchedName] = []
    for path in paths {
      let number = inotify_add_watch(descriptor, path.folder, events)
      guard number >= 0 else {
        let error = errno
        close(descriptor)
        throw SystemCallError(.watch, error)
      }
      names.append((number, path.name, false))
      guard !FolderWatch.isMount(path) else {
        close(descriptor)
        throw SystemCallError(.watch, EBUSY)
      }
      // A folder that is open in any process does not report its own removal, but the folder that contains it does. It
      // also reports that a link to the folder was switched. If it may not be read, the first watch must be enough.
      let parent = inotify_add_watch(descriptor, FileLocation.parent(of: path.folder), namesOnly)
      if parent >= 0 { names.append((parent, FileLocation.lastComponent(of: path.folder), true)) }
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [names] in
      let found = FolderWatch.findings(in: descriptor, names)
      if found != .nothing { onEvent(found == .movedFolder) }
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit { source.cancel() }

  /// Returns whether something is mounted at the name. The folder then has no events of what is written there; the
  /// folder of the mounted file has them.
  private static func isMount(_ path: WatchedPath) -> Bool {
    guard let name = path.name else { return false }
    var status = file_status()
    // STATX_ATTR_MOUNT_ROOT, from Linux 5.8 on. The path is absolute, and thus needs no descriptor.
    return file_status(-1, FileLocation.path(of: name, in: path.folder), &status) == 0
      && status.attributes & status.attributes_mask & 0x2000 != 0
  }

  private let source: any DispatchSourceRead

  /// The system's number for the watch of a folder, and a name in it. `nil` stands for all names. `isFolder` is whether
  /// the name is that of a watched folder.
  private typealias WatchedName = (watch: Int32, name: String?, isFolder: Bool)

  private enum Found {
    case nothing, name, movedFolder
  }

  /// Reads all pending events, so that many events count as one.
  private static func findings(in descriptor: Int32, _ names: [WatchedName]) -> Found {
    var found = Found.nothing
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return found }
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        // The kernel writes whole events: a header of 16 bytes and a name, which is padded with zeros.
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let start = offset + MemoryLayout<inotify_event>.size
          offset = start + Int(event.len)
          let name = bytes[start..<min(offset, count)].prefix { $0 != 0 }
          if event.mask & UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_IGNORED | IN_Q_OVERFLOW) != 0 {
            found = .movedFolder
          } else {
            for watched in names where found != .movedFolder && concerns(watched, event.wd, name) {
              found = watched.isFolder ? .movedFolder : .name
            }
          }
        }
      }
    }
  }

  private static func concerns(_ watched: WatchedName, _ watch: Int32, _ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    watched.watch == watch && watched.name.map { $0.utf8.elementsEqual(name) } ?? true
  }
}
#endif
