import GlobalData
import GlobalDataTesting

extension FaultySystemCalls {
  /// Makes the calls of one kind fail, or only the *n*th of them from now on, counted from 1.
  func fail(_ call: SystemCall, nth: Int? = nil, onFolder: Bool? = nil, _ fault: Fault) {
    fail(fault, skipping: (nth ?? 1) - 1, times: nth == nil ? .max : 1) { record in
      record.call == call && (onFolder == nil || onFolder == record.isFolder)
    }
  }

  func count(of call: SystemCall, onFolder: Bool = false) -> Int {
    records.count { $0.call == call && $0.isFolder == onFolder }
  }
}
