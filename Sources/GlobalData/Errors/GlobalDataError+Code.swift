extension GlobalDataError {
  /// The kinds of failure.
  ///
  /// More kinds may come with later versions: have a `default` where you tell them apart.
  public struct Code: Hashable, Sendable {
    // Private, so that a new kind breaks no caller's switch.
    private enum Kind: String {
      case invalidKey
      case encodingFailed
      case decodingFailed
      case typeMismatch
      case unregisteredType
      case newerVersion
      case migrationFailed
      case locked
      case damaged
      case foreignFormat
      case newerFormat
      case notAFile
      case danglingLink
      case fileTooLarge
      case readFailed
      case writeFailed
      case durabilityUnknown
      case removeFailed
      case busy
      case duplicateElement
      case elementNotFound
      case importFailed
      case alreadyInUse
    }

    private let kind: Kind

    /// The key is empty or too long.
    public static let invalidKey = Code(kind: .invalidKey)

    /// The value could not be turned into bytes; nothing was written.
    public static let encodingFailed = Code(kind: .encodingFailed)

    /// The stored bytes could not be turned into a value; they stay as they are.
    public static let decodingFailed = Code(kind: .decodingFailed)

    /// The entry holds a value of another type than the one wanted.
    public static let typeMismatch = Code(kind: .typeMismatch)

    /// The entry's type tag belongs to no registered type.
    public static let unregisteredType = Code(kind: .unregisteredType)

    /// The value was stored by a later version of its type than this program knows.
    public static let newerVersion = Code(kind: .newerVersion)

    /// The migration of a type threw; the stored value stays as it is.
    public static let migrationFailed = Code(kind: .migrationFailed)

    /// The file is there and may not be read now; nothing is overwritten, and the next use tries again.
    public static let locked = Code(kind: .locked)

    /// The file is an archive whose bytes are not those that were written.
    public static let damaged = Code(kind: .damaged)

    /// The file is not an archive of this library.
    public static let foreignFormat = Code(kind: .foreignFormat)

    /// The file was written by a newer version of this library.
    public static let newerFormat = Code(kind: .newerFormat)

    /// The path leads to a folder, a pipe, a device, or nowhere that a file can be.
    public static let notAFile = Code(kind: .notAFile)

    /// The path leads through a symbolic link that leads nowhere or in a circle.
    public static let danglingLink = Code(kind: .danglingLink)

    /// The file, or what is to be written, is larger than the store's limit.
    public static let fileTooLarge = Code(kind: .fileTooLarge)

    /// The system could not read the file.
    public static let readFailed = Code(kind: .readFailed)

    /// The file could not be replaced; memory and disk keep the earlier state.
    public static let writeFailed = Code(kind: .writeFailed)

    /// The new state is in the file and in memory, but a power failure now may bring the earlier one back.
    public static let durabilityUnknown = Code(kind: .durabilityUnknown)

    /// The file could not be removed.
    public static let removeFailed = Code(kind: .removeFailed)

    /// Another process has been writing the file for longer than the configuration lets a write wait, or the system is about to
    /// suspend this one, which may not hold the lock of a file in a shared container then. Nothing was written.
    public static let busy = Code(kind: .busy)

    /// A collection holds an element with that identifier already.
    public static let duplicateElement = Code(kind: .duplicateElement)

    /// A collection holds no element with that identifier.
    public static let elementNotFound = Code(kind: .elementNotFound)

    /// What should be imported is missing, of an unknown form, or holds what cannot be read; nothing was imported.
    public static let importFailed = Code(kind: .importFailed)

    /// The shared store was to be configured after it was used.
    public static let alreadyInUse = Code(kind: .alreadyInUse)
  }
}

extension GlobalDataError.Code: CustomStringConvertible {
  /// The name of the code, for example `writeFailed`.
  public var description: String { kind.rawValue }
}

extension GlobalDataError.Code {
  /// What helps with most errors of this code.
  var advice: String {
    switch kind {
    case .invalidKey: "Use a key of 1 to 1,024 bytes of UTF-8."
    case .encodingFailed: "Nothing was written. Change the value or its encode(to:), then set it again."
    case .decodingFailed:
      "The entry is kept as it is. Read it as an ArchiveValue to see what it holds, or give its type a migration."
    case .typeMismatch: "Ask for the stored type, or read the entry as an ArchiveValue and convert it."
    case .unregisteredType:
      "Register the type at launch with GlobalData.register, or name it when you read the entry. If no version of this "
        + "program has the type, a newer one does: update the app."
    case .newerVersion:
      "The entry is kept as it is, and other entries can be used. Update the app: a newer version can read it."
    case .migrationFailed:
      "The entry is kept as it is, and other entries can be used. Mend the migration of the type; read the entry as an "
        + "ArchiveValue to see what it holds."
    case .locked:
      "Nothing was overwritten. Give this process the right to read the file, or wait until the device is unlocked; "
        + "the next use tries again."
    case .damaged:
      "Nothing was overwritten. Restore the file from a backup, keep its intact entries with recover(), or start afresh "
        + "with clear()."
    case .foreignFormat: "Nothing was overwritten. Choose another path for the store, or move the file away."
    case .newerFormat: "Nothing was overwritten. Update the app, which has the newer version of GlobalData."
    case .notAFile: "Choose the path of a file."
    case .danglingLink: "Restore what the link leads to, or remove the link."
    case .fileTooLarge: "Raise maximumFileSize in the store's limits, or keep large data in files of its own."
    case .readFailed: "Nothing was overwritten. See to the cause; the next use tries again."
    case .writeFailed: "Memory and file keep the earlier state. See to the cause, then write again."
    case .durabilityUnknown: "The new value is in place. Write once more to be sure that it survives a power failure."
    case .removeFailed: "See to the cause, then try again."
    case .duplicateElement:
      "Nothing was changed. Use upsert to replace an element, or give the new one an identifier of its own."
    case .elementNotFound: "Nothing was changed. Use upsert to insert an element that is not there."
    case .importFailed:
      "Nothing was changed. Change the type that is to be read, or import with skipping: .unreadable to leave out such values."
    case .alreadyInUse:
      "Nothing was changed. Call GlobalData.configure at launch, before anything reads, writes or registers types."
    case .busy: "Nothing was changed. Try again, or raise lockTimeout in the store's configuration."
    }
  }
}
