import Foundation
import GlobalData
import TestSupport

/// Archives written by Python's bpylist2: the committed ones, and those that `.ci/run` has written again.
enum ArchiveFixtures {
  /// The folders with the archives, which have the same names in each.
  static let folders: [URL] =
    [Bundle.module.fixtures.appending(path: "Importing", directoryHint: .isDirectory)]
    + (ProcessInfo.processInfo.environment["IMPORT_ARCHIVES"].map { [URL(fileURLWithPath: $0)] } ?? [])

  /// The URLs of an archive in both formats.
  static func urls(of name: String) -> [URL] {
    folders.flatMap { [$0.appending(path: "\(name).plist"), $0.appending(path: "\(name).xml.plist")] }
  }

  static let names = [
    "garage", "root-dictionary", "foundation", "superclass", "several", "cyclic", "stranger",
  ]

  /// The archives of random values.
  static func randomArchives() throws -> [URL] {
    try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.lastPathComponent.hasPrefix("random-") && $0.pathExtension == "plist" }
    }
  }

  /// A store with its own registry, so that tests do not affect each other.
  static func store() -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    return .inMemory(configuration: configuration)
  }

  /// An archive in XML of some objects after null. Each name refers to the object with its number.
  static func archive(_ names: [(name: String, object: Int)], _ objects: [String]) -> Data {
    let top = names.map { "<key>\($0.name)</key>" + reference($0.object) }.joined()
    return Data(
      """
      <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>\
      <integer>100000</integer><key>$top</key><dict>\(top)</dict><key>$objects</key><array><string>$null</string>\
      \(objects.joined())</array></dict></plist>
      """.utf8)
  }

  /// A reference to an object in an archive in XML.
  static func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }

  /// An object in an archive in XML, of the class that an object with a number describes.
  static func object(ofClass number: Int, _ fields: [(name: String, value: String)]) -> String {
    "<dict><key>$class</key>\(reference(number))" + fields.map { "<key>\($0.name)</key>\($0.value)" }.joined()
      + "</dict>"
  }

  /// A class and its superclasses in an archive in XML.
  static func type(_ ancestry: String...) -> String {
    let names = ancestry.map { "<string>\($0)</string>" }.joined()
    return "<dict><key>$classname</key><string>\(ancestry[0])</string><key>$classes</key><array>\(names)</array></dict>"
  }
}
