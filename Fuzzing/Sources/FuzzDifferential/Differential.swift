import Foundation
import FuzzSupport
import GlobalData

// Decode, encode, decode: equal; and equal bytes where the input is in the form that the encoder writes.

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
    // Tags whose content has several forms are written in one of them. Strings that repeat become references.
    // 55799 says only that this is CBOR, so it is no part of the tree.
    let isCanonical = scan.isShortest && scan.tags.isDisjoint(with: [1, 2, 3, 4, 25, 28, 29, 256, 55799])
    if isCanonical, !first.starts(with: [0xd9, 0x01, 0x00]), first != Data(bytes) {
      finding("other bytes for canonical input: \(tree)")
    }
  } catch let error as KeyedArchiveError where error.code == .limitReached {
    // Shared items stand in the tree more than once, so it may be deeper than what was read.
  } catch {
    finding("a tree that was read is not written, or not read again: \(error) \(tree)")
  }
}

/// The same with what the types of the standard library make of the bytes.
private func compareValue(_ data: Data) {
  let value: any Sendable
  do {
    guard let decoded = try KeyedArchiveDecoder().decode(from: data) else { return }
    value = decoded
  } catch { return }
  do {
    let first = try KeyedArchiveEncoder().encode(value)
    guard let copy = try KeyedArchiveDecoder().decode(from: first) else {
      // Where no type is declared, an inner nil is like an outer one.
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
