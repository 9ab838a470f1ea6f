extension GlobalDataError {
  /// A kind of failure.
  ///
  /// Later versions may add more kinds, so include a `default` case when you switch over a code.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: String
    let advice: String

    private init(_ name: String, _ advice: String) { (self.name, self.advice) = (name, advice) }

    /// The key is empty, too long, or equal to an existing key whose bytes differ; or an identifier cannot be part of a
    /// key.
    public static let invalidKey = Code(
      "invalidKey", "Use a key that is not empty and not longer than maximumKeyLength in the store's limits.")

    /// The value could not be encoded. Nothing was written.
    public static let encodingFailed = Code(
      "encodingFailed", "Nothing was written. Change the value or its encode(to:), then set it again.")

    /// The stored bytes could not be decoded. They remain unchanged.
    public static let decodingFailed = Code(
      "decodingFailed",
      "The entry is unchanged. Read it as an ArchiveValue to see what it holds, or give its type a migration.")

    /// The entry holds a value of a type other than the requested one.
    public static let typeMismatch = Code(
      "typeMismatch", "Read the entry as its stored type, or as an ArchiveValue, and convert it.")

    /// No registered type has the entry's type tag.
    public static let unregisteredType = Code(
      "unregisteredType",
      """
      Register the type at launch with GlobalData.register, or with the register of a store that has its own \
      registry. Or name the entry's type when you read it. If the type was renamed, add its old name to Archivable's \
      formerArchiveTags. If this version of the app does not have the type, update the app.
      """)

    /// The value was stored with a later version of its type than this program supports.
    public static let newerVersion = Code(
      "newerVersion",
      "The entry is unchanged, and other entries can be used. Update the app to a version that can read it.")

    /// The migration of a type threw an error. The stored value remains unchanged.
    public static let migrationFailed = Code(
      "migrationFailed",
      """
      The entry is unchanged, and other entries can be used. Fix the migration of the type; read the entry as an \
      ArchiveValue to see what it holds.
      """)

    /// The file exists, but this process is not allowed to read it now. Nothing is overwritten, and the next use tries
    /// again.
    public static let locked = Code(
      "locked",
      """
      Nothing was overwritten. Give this process permission to read the file or wait until the device is unlocked; \
      the next use retries.
      """)

    /// The file is an archive whose bytes differ from the bytes that were written.
    public static let damaged = Code(
      "damaged",
      """
      Nothing was overwritten. Restore the file from a backup, keep its intact entries with recover(), or start \
      over with clear().
      """)

    /// The file is not an archive in this library's format.
    public static let foreignFormat = Code(
      "foreignFormat", "Nothing was overwritten. Choose another path or move the file away.")

    /// The file was written by a newer version of this library.
    public static let newerFormat = Code(
      "newerFormat", "Nothing was overwritten. Update the app to a version with the newer GlobalData.")

    /// The path leads to a folder, a pipe or a device, or cannot lead to a file at all; or the store's name or app
    /// group is not valid.
    public static let notAFile = Code("notAFile", "Use the path of a regular file.")

    /// The path contains a symbolic link that is broken or part of a cycle.
    public static let danglingLink = Code("danglingLink", "Restore the link's target or remove the link.")

    /// The file, or the data to be written, is larger than the store's limit.
    public static let fileTooLarge = Code(
      "fileTooLarge", "Raise maximumFileSize in the store's limits or keep large data in separate files.")

    /// The system could not read the file, or a file to inspect or restore does not exist.
    public static let readFailed = Code("readFailed", "Nothing was overwritten. Fix the cause; the next use retries.")

    /// The file could not be written. Memory and disk keep the earlier state.
    public static let writeFailed = Code(
      "writeFailed", "The store and its file are unchanged. Fix the cause, then write again.")

    /// The new state is in the file and in memory, but a power cut may still bring back the earlier state.
    public static let durabilityUnknown = Code(
      "durabilityUnknown",
      "The change was made. Write to the file again, even the same value, to make sure that it survives a power cut.")

    /// The file could not be removed; or the values were removed, but not another file beside the store's.
    public static let removeFailed = Code("removeFailed", "Fix the cause, then try again.")

    /// The write could not proceed, and nothing was written.
    ///
    /// The message says which of these is the reason:
    ///
    /// - Another process has been writing the file for longer than the configuration lets a write wait.
    /// - Other processes keep changing the values that an update reads.
    /// - A program keeps removing or replacing the file or its lock file.
    /// - The system is about to suspend this process. A suspended process must not hold the lock of a file in a shared
    ///   container.
    public static let busy = Code(
      "busy", "Nothing was changed. Try again or raise lockTimeout in the store's configuration.")

    /// The collection already contains an element with the same identifier.
    public static let duplicateElement = Code(
      "duplicateElement",
      "Nothing was changed. Use upsert to replace an element or give the new one its own identifier.")

    /// The collection contains no element with the given identifier.
    public static let elementNotFound = Code(
      "elementNotFound", "Nothing was changed. Use upsert to insert a missing element.")

    /// The data to import is missing, has an unknown form, or contains an unreadable value. Nothing was imported.
    public static let importFailed = Code(
      "importFailed",
      """
      Nothing was changed. Read the value as another type or skip unreadable values with skipping: .unreadable.
      """)

    /// The shared store was already in use when the program tried to configure it.
    public static let alreadyInUse = Code(
      "alreadyInUse",
      "Nothing was changed. Call GlobalData.configure at launch, before anything reads, writes or registers types.")

    /// The name of the code, for example `writeFailed`.
    public var description: String { name }

    public static func == (one: Code, other: Code) -> Bool { one.name == other.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
