import Foundation

/// A dictionary that is encoded as a whole and written atomically for each change, as apps without a store do it.
final class WholeFilePeer: StorePeer {
  typealias Encode = ([String: String]) throws -> Data
  typealias Decode = (Data) throws -> [String: String]

  private let file: URL
  private let encode: Encode
  private var values: [String: String]

  init(_ file: URL, _ encode: @escaping Encode, _ decode: Decode) throws {
    self.file = file
    self.encode = encode
    values = FileManager.default.fileExists(atPath: file.path) ? try decode(Data(contentsOf: file)) : [:]
  }

  func write(_ entries: [SampleEntry]) throws {
    for entry in entries { values[entry.key] = entry.value }
    try encode(values).write(to: file, options: .atomic)
  }

  func read(_ key: String) -> String? { values[key] }

  func close() {}
}

/// UserDefaults, synchronized after each write.
final class UserDefaultsPeer: StorePeer {
  private let defaults: UserDefaults
  private let name: String

  init(_ name: String) throws {
    guard let defaults = UserDefaults(suiteName: name) else { throw PeerFailure("no UserDefaults for \(name)") }
    self.defaults = defaults
    self.name = name
  }

  func write(_ entries: [SampleEntry]) throws {
    for entry in entries { defaults.set(entry.value, forKey: entry.key) }
    guard defaults.synchronize() else { throw PeerFailure("UserDefaults could not be written") }
  }

  func read(_ key: String) -> String? { defaults.string(forKey: key) }

  func close() {
    defaults.removePersistentDomain(forName: name)
  }
}

/// The coders that can write a dictionary as a whole.
enum WholeFileCoder: String, CaseIterable {
  case json = "JSONEncoder"
  case propertyList = "PropertyListEncoder"
  case keyedArchiver = "NSKeyedArchiver"

  func encode(_ values: [String: String]) throws -> Data {
    switch self {
    case .json: return try JSONEncoder().encode(values)
    case .propertyList:
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      return try encoder.encode(values)
    case .keyedArchiver:
      let objects = NSMutableDictionary()
      for (key, value) in values { objects[NSString(string: key)] = NSString(string: value) }
      return try NSKeyedArchiver.archivedData(withRootObject: objects, requiringSecureCoding: true)
    }
  }

  func decode(_ data: Data) throws -> [String: String] {
    switch self {
    case .json: return try JSONDecoder().decode([String: String].self, from: data)
    case .propertyList: return try PropertyListDecoder().decode([String: String].self, from: data)
    case .keyedArchiver:
      let objects = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSDictionary.self, NSString.self], from: data)
      var values: [String: String] = [:]
      for (key, value) in objects as? NSDictionary ?? [:] {
        if let key = key as? String, let value = value as? String { values[key] = value }
      }
      return values
    }
  }

  func peer(in folder: URL) throws -> WholeFilePeer {
    try WholeFilePeer(folder.appendingPathComponent(rawValue), encode, decode)
  }
}

extension StoreColumn {
  static var wholeFiles: [StoreColumn] {
    // Foundation's atomic write renames a file; durability.py shows whether it syncs the file first.
    WholeFileCoder.allCases.map { coder in
      StoreColumn(
        name: "\(coder.rawValue), atomic write", survives: .olderState,
        largest: coder == .keyedArchiver ? 10_000 : 100_000
      ) { folder, entries in
        let peer = try coder.peer(in: folder)
        try peer.write(entries)
        return peer
      }
    } + [
      StoreColumn(name: "UserDefaults, synchronize", survives: .inPlace, largest: 10_000) { folder, entries in
        let peer = try UserDefaultsPeer("benchmark-\(folder.lastPathComponent)")
        try peer.write(entries)
        return peer
      }
    ]
  }
}
