import Foundation
import FuzzSupport
import GlobalData

// The reader: bytes to a tree, and the tree to everything that can be made of it.

@main enum ReaderTarget {
  static func main() { exit(fuzz(check)) }
}

private func check(_ bytes: [UInt8]) {
  let scan = ItemScan(bytes)
  do {
    let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: Data(bytes))
    if !scan.isWellFormed || !scan.isText { finding("read what is not well-formed: \(tree)") }
    look(at: tree)
  } catch let error as KeyedArchiveError {
    _ = error.description
    if mustBeRead(scan) { finding("refused what is well-formed: \(error)") }
  } catch DecodingError.dataCorrupted(let context) {
    // A key that stands twice.
    if mustBeRead(scan) { finding("refused what is well-formed: \(context)") }
  } catch {
    finding("an error of another kind: \(error)")
  }
}

/// Whether an item has to be read: it has no map, in which a key might stand twice, and no tag with rules of its own.
private func mustBeRead(_ scan: ItemScan) -> Bool {
  scan.isWellFormed && scan.isText && !scan.hasMap && scan.depth <= ArchiveLimits().maximumDepth
    && scan.tags.isDisjoint(with: [25, 28, 29, 256])
}

private func look(at tree: ArchiveValue) {
  if tree.diagnostic.isEmpty { finding("no diagnostic notation") }
  for isPretty in [false, true] {
    do {
      _ = try JSONSerialization.jsonObject(with: Data(tree.json(isPretty: isPretty).utf8), options: .fragmentsAllowed)
    } catch {
      // Foundation's reader takes 512 levels and numbers of its own limits; anything else is ours to get right.
      let isLimit = "\(error)".contains("Number") || "\(error)".contains("depth")
      if !isLimit { finding("JSON that is none: \(error) \(tree.json())") }
    }
  }
  if tree != tree { finding("a value differs from itself") }
  if !Set([tree]).contains(tree) { finding("a value is not found in a set of itself") }
}
