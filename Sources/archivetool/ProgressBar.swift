/// Shows a bar on a terminal for work that takes more than a second, and removes it at the end.
struct ProgressBar {
  private let title: String
  private let isShown: Bool
  private let now: () -> ContinuousClock.Instant
  private let write: (String) -> Void
  private let start: ContinuousClock.Instant
  private var shownPercentage: Int?

  private static let width = 30

  init(
    _ title: String, isShown: Bool = Terminal.isErrors, now: @escaping () -> ContinuousClock.Instant = { .now },
    write: @escaping (String) -> Void = Output.show
  ) {
    self.title = title
    self.isShown = isShown
    self.now = now
    self.write = write
    start = now()
  }

  /// Shows the progress, from 0 to 1.
  mutating func update(_ share: Double) {
    guard isShown, now() - start > .seconds(1) else { return }
    let percentage = Int(min(max(share, 0), 1) * 100)
    guard percentage != shownPercentage else { return }
    shownPercentage = percentage
    let filled = percentage * ProgressBar.width / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: ProgressBar.width - filled)
    write("\r\(title) [\(bar)] \(percentage) %")
  }

  mutating func finish() {
    guard shownPercentage != nil else { return }
    shownPercentage = nil
    write("\r\u{1b}[K")
  }
}
