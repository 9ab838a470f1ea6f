// The names are C's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Stands in for Dispatch and for Darwin's C library, as far as FolderWatch+Darwin.swift uses them: a table has the files that there are, and
// the sources report what the cases request.

let ENOENT: Int32 = 2
let EPERM: Int32 = 1
let EMFILE: Int32 = 24
let O_EVTONLY: Int32 = 0x8000
let O_SYMLINK: Int32 = 0x20_0000
let O_CLOEXEC: Int32 = 0x100_0000

enum SystemCall { case open, openat }

struct SystemCallError: Error, Equatable {
  var call: SystemCall
  var number: Int32

  init(_ call: SystemCall, _ number: Int32) { (self.call, self.number) = (call, number) }
}

/// The paths that can be opened, with their descriptors, or the errors of those that cannot.
nonisolated(unsafe) var files: [String: Result<Int32, SystemCallError>] = [:]
/// The links among the paths, with the descriptors of the links themselves.
nonisolated(unsafe) var links: [String: Int32] = [:]
nonisolated(unsafe) var openDescriptors: Set<Int32> = []
nonisolated(unsafe) var sources: [Int32: DispatchSource] = [:]
nonisolated(unsafe) var errno: Int32 = 0

func open(_ path: String, _ flags: Int32) -> Int32 {
  if let link = links[path], flags & O_SYMLINK != 0 {
    openDescriptors.insert(link)
    return link
  }
  switch files[path] ?? .failure(SystemCallError(.open, ENOENT)) {
  case .success(let descriptor) where flags == O_EVTONLY | O_CLOEXEC:
    openDescriptors.insert(descriptor)
    return descriptor
  case .success: return -1
  case .failure(let error):
    errno = error.number
    return -1
  }
}

func openat(_ folder: Int32, _ name: String, _ flags: Int32) -> Int32 { open("\(folder)/\(name)", flags) }

func readlink(_ path: String, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
  links[path] == nil ? -1 : size
}

func close(_ descriptor: Int32) { openDescriptors.remove(descriptor) }

final class DispatchQueue {}

protocol DispatchSourceFileSystemObject: DispatchSource {}

class DispatchSource {
  struct FileSystemEvent: OptionSet {
    let rawValue: UInt

    static let delete = Self(rawValue: 1)
    static let write = Self(rawValue: 2)
    static let extend = Self(rawValue: 4)
    static let rename = Self(rawValue: 32)
    static let revoke = Self(rawValue: 64)
  }

  fileprivate var events: FileSystemEvent = []
  private var onEvent: (() -> Void)?
  private var onCancel: (() -> Void)?
  private var isActive = false

  static func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue
  ) -> any DispatchSourceFileSystemObject {
    let source = FileSystemSource()
    source.events = eventMask
    sources[fileDescriptor] = source
    return source
  }

  func setEventHandler(handler: (() -> Void)?) { onEvent = handler }
  func setCancelHandler(handler: (() -> Void)?) { onCancel = handler }
  func activate() { isActive = true }
  func cancel() { onCancel?() }

  func report(_ event: FileSystemEvent) {
    if isActive, events.contains(event) { onEvent?() }
  }
}

private final class FileSystemSource: DispatchSource, DispatchSourceFileSystemObject {}

@main struct Cases {
  private var count = 0
  private var failures = 0

  static func main() {
    var cases = Cases()
    cases.run()
    print("\(cases.count) cases, \(cases.failures) of them failed")
  }

  private mutating func check(_ title: String, _ holds: Bool) {
    count += 1
    guard !holds else { return }
    failures += 1
    print("FAILED: \(title)")
  }

  private mutating func run() {
    nonisolated(unsafe) var events: [Bool] = []
    func watch(_ paths: WatchedPath...) -> Result<FolderWatch, SystemCallError> {
      Result { () throws(SystemCallError) in try FolderWatch(paths, on: DispatchQueue()) { events.append($0) } }
    }
    func error(_ result: Result<FolderWatch, SystemCallError>) -> SystemCallError? {
      if case .failure(let error) = result { error } else { nil }
    }
    let file = WatchedPath(folder: "/a", name: "store")

    files = ["/a": .success(5), "5/store": .success(6)]
    var made: Result<FolderWatch, SystemCallError>? = watch(file)
    sources[6]?.report(.write)
    sources[6]?.report(.extend)
    check("a write of the file is reported", events == [false, false])
    sources[5]?.report(.write)
    sources[5]?.report(.delete)
    sources[5]?.report(.rename)
    check("a change of the folder makes a new watch", events.suffix(3) == [true, true, true])
    check("both are open", made != nil && openDescriptors == [5, 6])
    made = nil
    check("both are closed with the watch", openDescriptors == [])

    files["5/store"] = nil
    made = watch(file)
    check("a file that does not exist yet is no error", made.flatMap(error) == nil && openDescriptors == [5])
    made = watch(WatchedPath(folder: "/a", name: nil))
    check("a folder is watched without a file", made.flatMap(error) == nil)
    let absent = WatchedPath(folder: "/b", name: nil)
    check("a folder that does not exist is an error", error(watch(absent)) == .init(.open, ENOENT))
    made = nil

    links["/a"] = 4
    made = watch(WatchedPath(folder: "/a", name: nil))
    events = []
    sources[4]?.report(.delete)
    sources[4]?.report(.rename)
    check("a link to the folder that is switched makes a new watch", events == [true, true])
    check("the link is open beside the folder", openDescriptors == [4, 5])
    made = nil
    check("the link is closed, too", openDescriptors == [])
    links = [:]

    // The file exists, and nothing else would report what is appended to it.
    for number in [EPERM, EMFILE] {
      files["5/store"] = .failure(SystemCallError(.openat, number))
      check("a file that cannot be opened is an error, here \(number)", error(watch(file)) == .init(.openat, number))
      check("the folder is closed after error \(number)", openDescriptors == [])
    }
  }
}
