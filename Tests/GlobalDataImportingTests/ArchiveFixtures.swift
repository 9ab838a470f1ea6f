import Foundation
import GlobalData
import TestSupport

/// Archives that Python's bpylist2 wrote: the committed ones, and those that `.ci/run` has written anew.
enum ArchiveFixtures {
  /// The folders that hold the archives, each with the same names in it.
  static let folders: [URL] =
    [Bundle.module.fixtures.appending(path: "Importing", directoryHint: .isDirectory)]
    + (ProcessInfo.processInfo.environment["IMPORT_ARCHIVES"].map { [URL(fileURLWithPath: $0)] } ?? [])

  /// The places of an archive in both formats.
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

  /// A store with a registry of its own, so that tests do not meet.
  static func store() -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.registry = TypeRegistry()
    return .inMemory(configuration: configuration)
  }

  /// An archive in XML of some objects behind null; each name leads to the object of its number.
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

  /// An object in an archive in XML, of the class that an object describes.
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
