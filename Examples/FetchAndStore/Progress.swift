/// A line on standard error that shows the progress of a download.
struct Progress: Sendable {
  let isShown: Bool

  func show(_ count: Int, of expected: Int?) {
    guard isShown else { return }
    let total = expected.map { " of \($0) bytes (\($0 > 0 ? count * 100 / $0 : 100) %)" } ?? " bytes"
    printError("\r\(count)\(total)", terminator: "")
  }

  /// Ends the line.
  func end() {
    if isShown { printError("") }
  }
}
