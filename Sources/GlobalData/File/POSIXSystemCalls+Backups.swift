#if canImport(Darwin)
import FoundationCore
#endif

// The one call that uses Foundation: no other call is documented to exclude a file from backups. It takes a path.
extension POSIXSystemCalls {
  func excludeFromBackups(_ path: String) throws(SystemCallError) {
    #if canImport(Darwin)
    var url = URL(fileURLWithPath: path, isDirectory: false)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    do {
      try url.setResourceValues(values)
    } catch {
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      throw SystemCallError(.excludeFromBackups, cause?.code.rawValue ?? EIO)
    }
    #endif
  }
}
