import Foundation
import FuzzSupport
import GlobalData

// The reader: decodes bytes as a tree, and converts the tree to all other forms.

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
    // A key may occur twice.
    if mustBeRead(scan) { finding("refused what is well-formed: \(context)") }
  } catch {
    finding("an error of another kind: \(error)")
  }
}

/// Returns whether the reader must accept an item: it has no map, in which a key might occur twice, and no tag with its
/// own rules.
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
      // Foundation's reader has limits for levels and numbers. Every other failure is a bug of this package.
      let isLimit = "\(error)".contains("Number") || "\(error)".contains("depth")
      if !isLimit { finding("JSON that is none: \(error) \(tree.json())") }
    }
  }
  if tree != tree { finding("a value differs from itself") }
  if !Set([tree]).contains(tree) { finding("a value is not found in a set of itself") }
}
