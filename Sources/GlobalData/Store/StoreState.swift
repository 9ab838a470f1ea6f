public import FoundationCore

extension GlobalData {
  /// What a store found when it opened its file.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The store has not been opened since it was created or closed. Its first use opens it. A store in memory is
    /// always open.
    case notOpened

    /// There is no file: an empty store, which the first write makes one.
    case absent

    /// The file was read, and is intact. A store in memory is always ready.
    case ready

    /// The file is there and may not be read now, for want of a right or because the device is locked. Reads and writes
    /// throw, nothing is overwritten, and the next use tries again.
    case locked

    /// The file is damaged. Either its intact entries are at hand and ``GlobalData/recovery`` says what is lost, until
    /// a write makes the store `ready`; or each use throws.
    case damaged

    /// The file was written by a newer version of this library. What could be read is available, but writes throw.
    case newer

    /// The file cannot be read for another reason, such as a folder in its place. Each use throws it.
    case unavailable
  }

  /// What a store kept of a damaged file, and what it lost.
  public struct Recovery: Hashable, Sendable {
    /// The place of the file that was damaged.
    public let fileURL: URL

    /// What is not as it was written, in words, each with its place.
    public let problems: [String]

    /// The keys that have a value, in their order.
    public let keptKeys: [String]

    /// The keys that have no value any more, as far as they can be read.
    public let lostKeys: [String]

    /// The kept keys whose value may be an older one, or should be gone: their newest change is lost, or may be.
    public let outdatedKeys: [String]

    /// The number of entries that are lost, with those whose keys cannot be read.
    public let lostEntryCount: Int

    /// Where the damaged file is now; `nil` as long as it is still in its place. It goes with `clear()`.
    public internal(set) var setAsideURL: URL?
  }
}

extension GlobalData.State {
  init(_ error: any Error) {
    self =
      switch (error as? GlobalDataError)?.code {
      case .locked?: .locked
      case .damaged?: .damaged
      case .newerFormat?: .newer
      default: .unavailable
      }
  }
}

extension GlobalData.Recovery {
  init(_ contents: ArchiveImage.Contents, _ url: URL) {
    self.init(
      fileURL: url, problems: contents.damage.map(String.init(describing:)),
      keptKeys: contents.image.entries.keys, lostKeys: contents.losses.lostKeys,
      outdatedKeys: contents.losses.outdatedKeys, lostEntryCount: contents.losses.lostCount, setAsideURL: nil)
  }
}
