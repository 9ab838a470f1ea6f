import Foundation
import TestSupport

@testable import GlobalData

/// A step of a program that changes a disk.
enum DiskStep {
  case makeFolder(String)
  case create(file: Int, name: String, folder: String)
  case write(file: Int, Data)
  case sync(file: Int, SyncStrength)
  /// Bytes at an offset of an existing file.
  case update(String, folder: String, offset: Int, Data)
  case truncate(String, folder: String, size: Int)
  case syncNamed(String, folder: String)
  case syncFolder(String)
  case rename(String, to: String, folder: String)
  case link(String, as: String, folder: String)
  case unlink(String, folder: String)
}

/// A disk that keeps only what it has to keep.
///
/// It is as hostile as the rules of POSIX allow, and more hostile than most file systems:
///
/// - Bytes that were written to a file since its last sync are there completely, by half, as zeros, or not at all. If
///   they replaced other bytes, the disk writes sectors: each completely or not at all, in any order, and each in its
///   state after any of the writes.
/// - Changes to the names in a folder since its last sync are there or missing, in any combination. A single rename
///   happens or does not.
/// - Names and contents are independent: a new name may lead to contents that are missing.
/// - A barrier by itself keeps nothing. But a change of names after it is only there together with what the barrier
///   keeps.
struct DiskModel {
  /// The files that a reader finds: contents by path, and `nil` for folders.
  typealias Image = [String: Data?]

  private enum Node {
    case file(Int)
    case folder
  }

  private struct File {
    var kept = Data()
    var written = Data()
    /// The number of the step of the last barrier, and the contents that it affects.
    var barrier: (step: Int, contents: Data)?

    /// The contents before each write in place since the last sync.
    var earlier: [Data] = []

    /// Whether bytes were overwritten.
    var isUpdated = false

    mutating func update(_ bytes: Data, at offset: Int) {
      isUpdated = true
      earlier.append(written)
      if written.count < offset + bytes.count { written += Data(count: offset + bytes.count - written.count) }
      written.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    mutating func truncate(to size: Int) {
      isUpdated = true
      earlier.append(written)
      written = written.prefix(size) + Data(count: max(0, size - written.count))
    }

    /// The contents that may be found after bytes were overwritten. For each two states of the file: the sectors before
    /// an offset from one of them and those after it from the other, or only one sector from the other; and the file as
    /// long as either.
    private func updates(of kept: Data) -> Set<Data> {
      let states = [kept] + earlier + [written]
      var outcomes = Set(states)
      for one in states {
        for other in states where one != other {
          let length = max(one.count, other.count)
          let (first, second) = (one + Data(count: length - one.count), other + Data(count: length - other.count))
          outcomes.insert(first)
          for boundary in stride(from: 512, to: length, by: 512) {
            outcomes.insert(first.prefix(boundary) + second.dropFirst(boundary))
            outcomes.insert(
              first.prefix(boundary) + second.dropFirst(boundary).prefix(512) + first.dropFirst(boundary + 512))
            if boundary > kept.count { outcomes.insert(first.prefix(boundary)) }
          }
        }
      }
      return outcomes
    }

    mutating func keep() {
      kept = written
      earlier = []
      barrier = nil
    }

    mutating func keepOrdered(_ step: Int) {
      barrier = (step, written)
    }

    /// The contents that may be found if the changes of names up to a step are there.
    func outcomes(latestStep: Int) -> Set<Data> {
      var kept = kept
      if let barrier, barrier.step < latestStep { kept = barrier.contents }
      guard written != kept else { return [kept] }
      if isUpdated { return updates(of: kept) }
      let common = min(kept.count, written.count)
      return [
        kept, written, written.prefix(common + (written.count - common) / 2),
        written.prefix(common) + Data(count: written.count - common),
      ]
    }

    /// Returns contents that may be found, chosen at random. After many writes, there are too many to list.
    func outcome(latestStep: Int, using random: inout SeededGenerator) -> Data {
      var kept = kept
      if let barrier, barrier.step < latestStep { kept = barrier.contents }
      guard isUpdated else {
        let outcomes = outcomes(latestStep: latestStep).sorted { ($0.count, $0.last ?? 0) < ($1.count, $1.last ?? 0) }
        return outcomes[random.below(outcomes.count)]
      }
      let states = [kept] + earlier + [written]
      let (one, other) = (states[random.below(states.count)], states[random.below(states.count)])
      let length = max(one.count, other.count)
      let (first, second) = (one + Data(count: length - one.count), other + Data(count: length - other.count))
      let boundary = 512 * random.below(length / 512 + 1)
      switch random.below(4) {
      case 0: return one
      case 1: return first.prefix(boundary) + second.dropFirst(boundary)
      case 2: return first.prefix(boundary) + second.dropFirst(boundary).prefix(512) + first.dropFirst(boundary + 512)
      default: return boundary > kept.count ? first.prefix(boundary) : first
      }
    }
  }

  private struct Change {
    var step: Int
    var folder: String
    var removed: String?
    var set: (name: String, node: Node)?

    func apply(to names: inout [String: Node]) {
      if let removed { names[removed] = nil }
      if let set { names[set.name] = set.node }
    }
  }

  private struct Folder {
    var kept: [String: Node] = [:]
    var current: [String: Node] = [:]
  }

  private let root: String
  private var files: [Int: File] = [:]
  private var folders: [String: Folder]
  private var pending: [Change] = []
  private var stepCount = 0
  /// The number of the last step whose change of names a sync has kept.
  private var keptStep = 0

  /// A disk on which a folder contains only some files.
  init(root: String, files: [String: Data]) {
    self.root = root
    var folder = Folder()
    for (number, (name, contents)) in files.enumerated() {
      // Below the numbers of files that are created.
      self.files[-1 - number] = File(kept: contents, written: contents)
      folder.kept[name] = .file(-1 - number)
    }
    folder.current = folder.kept
    folders = [root: folder]
  }

  // MARK: Steps

  mutating func apply(_ step: DiskStep) {
    stepCount += 1
    switch step {
    case .makeFolder(let path):
      folders[path] = Folder()
      change(FileLocation.parent(of: path), set: (FileLocation.lastComponent(of: path), .folder))
    case .create(let file, let name, let folder):
      files[file] = File()
      change(folder, set: (name, .file(file)))
    case .write(let file, let bytes): files[file]?.written += bytes
    case .sync(let file, .barrier): files[file]?.keepOrdered(stepCount)
    case .sync(let file, .flush), .sync(let file, .data): files[file]?.keep()
    case .update(let name, let folder, let offset, let bytes):
      if case .file(let file)? = folders[folder]?.current[name] { files[file]?.update(bytes, at: offset) }
    case .truncate(let name, let folder, let size):
      if case .file(let file)? = folders[folder]?.current[name] { files[file]?.truncate(to: size) }
    case .syncNamed(let name, let folder):
      if case .file(let file)? = folders[folder]?.current[name] { files[file]?.keep() }
    case .syncFolder(let path):
      for change in pending where change.folder == path {
        if var names = folders[path]?.kept {
          change.apply(to: &names)
          folders[path]?.kept = names
        }
        keptStep = max(keptStep, change.step)
      }
      pending.removeAll { $0.folder == path }
    case .rename(let name, let newName, let folder):
      if let node = folders[folder]?.current[name] { change(folder, removed: name, set: (newName, node)) }
    case .link(let name, let newName, let folder):
      if let node = folders[folder]?.current[name] { change(folder, set: (newName, node)) }
    case .unlink(let name, let folder): change(folder, removed: name)
    }
  }

  private mutating func change(_ folder: String, removed: String? = nil, set: (name: String, node: Node)? = nil) {
    let change = Change(step: stepCount, folder: folder, removed: removed, set: set)
    if var names = folders[folder]?.current {
      change.apply(to: &names)
      folders[folder]?.current = names
    }
    pending.append(change)
  }

  // MARK: Power cuts

  /// All states that a power cut at this moment may leave.
  func imagesAfterPowerCut() -> Set<Image> {
    var images: Set<Image> = []
    for subset in 0..<(1 << pending.count) {
      var names = folders.mapValues(\.kept)
      var latestStep = keptStep
      for (number, change) in pending.enumerated() where subset & 1 << number != 0 {
        if var folder = names[change.folder] {
          change.apply(to: &folder)
          names[change.folder] = folder
        }
        latestStep = max(latestStep, change.step)
      }
      images.formUnion(self.images(of: root, prefix: "", names, latestStep))
    }
    return images
  }

  /// Returns one of the states that a power cut may leave now, chosen at random. After many changes of names, these
  /// states are too many to list.
  func imageAfterPowerCut(using random: inout SeededGenerator) -> Image {
    var names = folders.mapValues(\.kept)
    var latestStep = keptStep
    let percentage = [0, 50, 90, 100][random.below(4)]
    for change in pending where random.below(100) < percentage {
      if var folder = names[change.folder] {
        change.apply(to: &folder)
        names[change.folder] = folder
      }
      latestStep = max(latestStep, change.step)
    }
    var image: Image = [:]
    addImage(of: root, prefix: "", names, latestStep, to: &image, using: &random)
    return image
  }

  private func addImage(
    of path: String, prefix: String, _ names: [String: [String: Node]], _ latestStep: Int, to image: inout Image,
    using random: inout SeededGenerator
  ) {
    for (name, node) in (names[path] ?? [:]).sorted(by: { $0.key < $1.key }) {
      switch node {
      case .file(let number):
        image[prefix + name] = .some(files[number]?.outcome(latestStep: latestStep, using: &random))
      case .folder:
        image[prefix + name] = .some(nil)
        addImage(
          of: "\(path)/\(name)", prefix: "\(prefix)\(name)/", names, latestStep, to: &image, using: &random)
      }
    }
  }

  /// All images of a folder, one for each combination of the possible contents of its files.
  private func images(
    of path: String, prefix: String, _ names: [String: [String: Node]], _ latestStep: Int
  ) -> Set<Image> {
    var images: Set<Image> = [[:]]
    for (name, node) in names[path] ?? [:] {
      let additions: Set<Image>
      switch node {
      case .file(let number):
        let outcomes = files[number]?.outcomes(latestStep: latestStep) ?? []
        additions = Set(outcomes.map { [prefix + name: $0] })
      case .folder:
        let inner = self.images(of: "\(path)/\(name)", prefix: "\(prefix)\(name)/", names, latestStep)
        additions = Set(inner.map { $0.merging([prefix + name: nil]) { $1 } })
      }
      images = Set(images.flatMap { image in additions.map { image.merging($0) { $1 } } })
    }
    return images
  }
}

extension DiskModel.Image {
  /// Creates the files and folders in a folder.
  func write(to folder: URL) throws {
    for (name, contents) in sorted(by: { $0.key < $1.key }) {
      if let contents {
        try contents.write(to: folder.file(name))
      } else {
        try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
      }
    }
  }
}
