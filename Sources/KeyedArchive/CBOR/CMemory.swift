// The one file of the byte layer that knows which system it is on.
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

/// The functions of the C library for memory that Swift has no counterpart of, or a slower one.
package enum CMemory {
  // Without memory Swift's own collections end the program, too. What is asked for here follows what a program encodes;
  // a file cannot ask for more than its own size.
  static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(size) else { fatalError("out of memory: \(size) bytes") }
    return memory
  }

  /// Resizes a block, in place where there is room after it.
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
