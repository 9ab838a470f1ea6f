public import FoundationCore

extension GlobalData {
  /// The state of a store, as found when it last read or wrote its file.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The store has not been opened since it was created or closed. Its first use opens it. A store in memory is
    /// always open.
    case notOpened

    /// The file does not exist. The store is empty, and the first write creates the file.
    case absent

    /// The file was read and is intact. A store in memory is always ready.
    case ready

    /// The file exists but cannot be read now, because a permission is missing or the device is locked. Reads and
    /// writes throw, nothing is overwritten, and the next use tries again. An observed store tries again each second.
    case locked

    /// The file is damaged.
    ///
    /// Depending on the recovery policy and the damage, either the intact entries are available or each use throws. If
    /// they are available, ``GlobalData/recovery`` describes the losses, and the next write makes the store `ready`.
    case damaged

    /// The file was written by a newer version of this library. Its entries are available if the whole file has the
    /// known form. All writes except `clear()` throw.
    case newer

    /// The file cannot be read for another reason, such as a folder at its path. Each use throws an error with the
    /// reason.
    case unavailable
  }

  /// The entries of a damaged file that a store kept and lost.
  public struct Recovery: Hashable, Sendable {
    /// The original location of the damaged file.
    public let fileURL: URL

    /// Descriptions of the problems found, each with its position.
    public let problems: [String]

    /// The keys that have a value, in order.
    public let keptKeys: [String]

    /// The keys that no longer have a value, as far as they can be read.
    public let lostKeys: [String]

    /// The kept keys whose newest change is lost or may be lost. Their values may be older ones, or should have been
    /// removed.
    public let outdatedKeys: [String]

    /// The number of lost entries, including entries whose keys cannot be read.
    public let lostEntryCount: Int

    /// The current location of the damaged file, or `nil` if the file has not been set aside. `clear()` removes the
    /// file.
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

extension StoreIdentity {
  init(_ uuid: UUID) {
    self = withUnsafeBytes(of: uuid.uuid) { StoreIdentity(high: $0.number(at: 0), low: $0.number(at: 8)) }
  }

  static func random() -> StoreIdentity { StoreIdentity(UUID()) }
}
