extension GlobalDataError {
  /// The kinds of failure.
  ///
  /// More kinds may come with later versions: have a `default` where you tell them apart.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// A reference, so that each error has one word for its code.
    private final class Kind: Sendable {
      let name: String
      let advice: String

      init(_ name: String, _ advice: String) {
        self.name = name
        self.advice = advice
      }
    }

    private let kind: Kind

    private init(_ name: String, _ advice: String) {
      kind = Kind(name, advice)
    }

    var advice: String { kind.advice }

    /// The key is empty or too long.
    public static let invalidKey = Code(
      "invalidKey", "Use a key that is not empty and not longer than maximumKeyLength in the store's limits.")

    /// The value could not be turned into bytes; nothing was written.
    public static let encodingFailed = Code(
      "encodingFailed", "Nothing was written. Change the value or its encode(to:), then set it again.")

    /// The stored bytes could not be turned into a value; they stay as they are.
    public static let decodingFailed = Code(
      "decodingFailed",
      "The entry is unchanged. Read it as an ArchiveValue to see what it holds, or give its type a migration.")

    /// The entry holds a value of another type than the one wanted.
    public static let typeMismatch = Code(
      "typeMismatch", "Read the stored type or read the entry as an ArchiveValue and convert it.")

    /// The entry's type tag belongs to no registered type.
    public static let unregisteredType = Code(
      "unregisteredType",
      """
      Register the type at launch with GlobalData.register, or name it when you read the entry. If this version of \
      the app does not have the type, update the app.
      """)

    /// The value was stored by a later version of its type than this program knows.
    public static let newerVersion = Code(
      "newerVersion",
      "The entry is unchanged, and other entries can be used. Update the app to a version that can read it.")

    /// The migration of a type threw; the stored value stays as it is.
    public static let migrationFailed = Code(
      "migrationFailed",
      """
      The entry is unchanged, and other entries can be used. Fix the migration of the type; read the entry as an \
      ArchiveValue to see what it holds.
      """)

    /// The file is there and may not be read now; nothing is overwritten, and the next use tries again.
    public static let locked = Code(
      "locked",
      """
      Nothing was overwritten. Give this process permission to read the file or wait until the device is unlocked; \
      the next use retries.
      """)

    /// The file is an archive whose bytes are not those that were written.
    public static let damaged = Code(
      "damaged",
      """
      Nothing was overwritten. Restore the file from a backup, keep its intact entries with recover(), or start \
      over with clear().
      """)

    /// The file is not an archive of this library.
    public static let foreignFormat = Code(
      "foreignFormat", "Nothing was overwritten. Choose another path for the store or move the file away.")

    /// The file was written by a newer version of this library.
    public static let newerFormat = Code(
      "newerFormat", "Nothing was overwritten. Update the app to a version with the newer GlobalData.")

    /// The path leads to a folder, a pipe, a device, or nowhere that a file can be.
    public static let notAFile = Code("notAFile", "Use the path of a regular file.")

    /// The path leads through a symbolic link that leads nowhere or in a circle.
    public static let danglingLink = Code("danglingLink", "Restore the link's target or remove the link.")

    /// The file, or what is to be written, is larger than the store's limit.
    public static let fileTooLarge = Code(
      "fileTooLarge", "Raise maximumFileSize in the store's limits or keep large data in separate files.")

    /// The system could not read the file.
    public static let readFailed = Code(
      "readFailed", "Nothing was overwritten. Fix the cause; the next use retries.")

    /// The file could not be replaced; memory and disk keep the earlier state.
    public static let writeFailed = Code(
      "writeFailed", "The store and its file are unchanged. Fix the cause, then write again.")

    /// The new state is in the file and in memory, but a power failure now may bring the earlier one back.
    public static let durabilityUnknown = Code(
      "durabilityUnknown",
      "The change was made. Repeat it to make sure that it survives a power failure.")

    /// The file could not be removed.
    public static let removeFailed = Code("removeFailed", "Fix the cause, then try again.")

    /// Another process has been writing the file for longer than the configuration lets a write wait, or the system is
    /// about to suspend this one, which may not hold the lock of a file in a shared container then. Nothing was
    /// written.
    public static let busy = Code(
      "busy", "Nothing was changed. Try again or raise lockTimeout in the store's configuration.")

    /// A collection holds an element with that identifier already.
    public static let duplicateElement = Code(
      "duplicateElement",
      "Nothing was changed. Use upsert to replace an element or give the new one its own identifier.")

    /// A collection holds no element with that identifier.
    public static let elementNotFound = Code(
      "elementNotFound", "Nothing was changed. Use upsert to insert a missing element.")

    /// What should be imported is missing, of an unknown form, or holds what cannot be read; nothing was imported.
    public static let importFailed = Code(
      "importFailed",
      """
      Nothing was changed. Read the value as another type or skip unreadable values with skipping: .unreadable.
      """)

    /// The shared store was to be configured after it was used.
    public static let alreadyInUse = Code(
      "alreadyInUse",
      "Nothing was changed. Call GlobalData.configure at launch, before anything reads, writes or registers types.")

    /// The name of the code, for example `writeFailed`.
    public var description: String { kind.name }

    public static func == (one: Code, other: Code) -> Bool { one.kind.name == other.kind.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(kind.name) }
  }
}
