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

  static func deallocate(_ block: UnsafeMutableRawPointer) {
    free(block)
  }

  @inline(__always)
  package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }

  @inline(__always)
  static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
    memcmp(left, right, count) == 0
  }
}
