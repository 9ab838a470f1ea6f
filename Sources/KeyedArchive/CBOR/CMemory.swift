// This is the only file in the byte layer that depends on the system.
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import WASILibc
#endif

/// Memory functions of the C library that Swift lacks, or for which its counterparts are slower.
package enum CMemory {
  // Swift's own collections also end the program when they run out of memory. The size here depends on the values that
  // a program encodes. A file cannot request more than its own size.
  static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(size) else { fatalError("out of memory: \(size) bytes") }
    return memory
  }

  /// Resizes a block, in place if there is room after it.
  static func reallocate(_ block: UnsafeMutableRawPointer, _ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = realloc(block, size) else { fatalError("out of memory: \(size) bytes") }
    return memory
  }

  static func deallocate(_ block: UnsafeMutableRawPointer) { free(block) }

  /// Copies bytes. Up to sixteen bytes, the length of most texts, are copied without a call.
  @inline(__always)
  static func copyFew(_ length: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    if length > 16 {
      target.copyMemory(from: source, byteCount: length)
    } else if length >= 8 {
      copyEnds(of: length, as: UInt64.self, from: source, to: target)
    } else if length >= 4 {
      copyEnds(of: length, as: UInt32.self, from: source, to: target)
    } else {
      for offset in 0..<length {
        target.storeBytes(of: source.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
      }
    }
  }

  /// Copies the first and the last word of bytes that are one to two words long. The two words may overlap.
  @inline(__always)
  private static func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(
    of length: Int, as _: Word.Type, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
  ) {
    let last = length - MemoryLayout<Word>.size
    let tail = source.loadUnaligned(fromByteOffset: last, as: Word.self)
    target.storeBytes(of: source.loadUnaligned(as: Word.self), as: Word.self)
    target.storeBytes(of: tail, toByteOffset: last, as: Word.self)
  }

  @inline(__always)
  package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }
}
