import Foundation
import FuzzSupport
import GlobalData

// Decodes, encodes and decodes again. The values must be equal, and also the bytes if the input has the form that the
// encoder writes.

@main enum DifferentialTarget {
  static func main() {
    exit(
      fuzz { bytes in
        compareTree(bytes)
        compareValue(Data(bytes))
      })
  }
}

private func compareTree(_ bytes: [UInt8]) {
  let tree: ArchiveValue
  do { tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: Data(bytes)) } catch { return }
  do {
    let first = try KeyedArchiveEncoder().encode(tree)
    let copy = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: first)
    if copy != tree { finding("another tree: \(tree) became \(copy)") }
    if copy.hashValue != tree.hashValue { finding("another hash: \(tree)") }
    let second = try KeyedArchiveEncoder().encode(copy)
    if second != first { finding("other bytes for an equal tree: \(tree)") }
    let scan = ItemScan(bytes)
    // A tag whose content may have several forms is written in one of them, and repeated strings become references. Tag
    // 55799 only says that this is CBOR, so the tree does not contain it.
    let isCanonical = scan.isShortest && scan.tags.isDisjoint(with: [1, 2, 3, 4, 25, 28, 29, 256, 55799])
    if isCanonical, !first.starts(with: [0xd9, 0x01, 0x00]), first != Data(bytes) {
      finding("other bytes for canonical input: \(tree)")
    }
  } catch let error as KeyedArchiveError where error.code == .limitReached {
    // Shared items occur in the tree more than once, so it may be nested more deeply than the bytes.
  } catch {
    finding("a tree that was read is not written, or not read again: \(error) \(tree)")
  }
}

/// Does the same with the values of standard types that the bytes are decoded as.
private func compareValue(_ data: Data) {
  let value: any Sendable
  do {
    guard let decoded = try KeyedArchiveDecoder().decode(from: data) else { return }
    value = decoded
  } catch { return }
  do {
    let first = try KeyedArchiveEncoder().encode(value)
    guard let copy = try KeyedArchiveDecoder().decode(from: first) else {
      // If no type is declared, an inner nil cannot be distinguished from an outer one.
      if "\(value)" != "nil" { finding("a value became nil: \(value)") }
      return
    }
    let second = try KeyedArchiveEncoder().encode(copy)
    if second != first {
      finding(
        "other bytes for \(value): \(first.map { String($0, radix: 16) }), \(second.map { String($0, radix: 16) })")
    }
  } catch let error as KeyedArchiveError where error.code == .limitReached {
  } catch {
    finding("a value that was read is not written, or not read again: \(error) \(value)")
  }
}
