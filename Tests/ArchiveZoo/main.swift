import Foundation
import KeyedArchive
import TestSupport

// Exchanges values with a program in another language:
//
//     archive-zoo write FOLDER        writes each value of the zoo as FOLDER/NAME.cbor
//     archive-zoo check FOLDER        reads each FOLDER/NAME.FORM.cbor as the value NAME, and compares
//     archive-zoo rewrite FROM TO     reads each file in FROM as a tree and writes that to TO

func files(in folder: String) throws -> [URL] {
  try FileManager.default.contentsOfDirectory(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
    .sorted { $0.lastPathComponent < $1.lastPathComponent }
}

func write(to folder: String) throws {
  for specimen in specimens {
    try specimen.encoded().write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(specimen.name).cbor"))
  }
  print("\(specimens.count) values written")
}

/// Returns the number of files with wrong contents.
func check(_ folder: String) throws -> Int {
  let named = Dictionary(uniqueKeysWithValues: specimens.map { ($0.name, $0) })
  var failures = 0
  let files = try files(in: folder)
  for file in files {
    let name = file.lastPathComponent.split(separator: ".").first.map(String.init) ?? ""
    let complaint =
      if let specimen = named[name] { specimen.complaint(about: try Data(contentsOf: file)) } else { "no such value" }
    guard let complaint else { continue }
    print("\(file.lastPathComponent): \(complaint.prefix(1000))")
    failures += 1
  }
  print("\(files.count) files checked")
  return failures
}

func rewrite(_ source: String, _ destination: String) throws {
  for file in try files(in: source) {
    do {
      let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: Data(contentsOf: file))
      try KeyedArchiveEncoder().encode(tree)
        .write(to: URL(fileURLWithPath: destination).appendingPathComponent(file.lastPathComponent))
    } catch {
      print("\(file.lastPathComponent): \(error)")
      exit(1)
    }
  }
}

try TypeRegistry.shared.register(CarInfo.self, Animal.self, Dog.self, Cat.self)
let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, Array(arguments.dropFirst())) {
case ("write", let folders) where folders.count == 1: try write(to: folders[0])
case ("check", let folders) where folders.count == 1: exit(try check(folders[0]) == 0 ? 0 : 1)
case ("rewrite", let folders) where folders.count == 2: try rewrite(folders[0], folders[1])
default:
  print("usage: archive-zoo write FOLDER | check FOLDER | rewrite FROM TO")
  exit(2)
}
