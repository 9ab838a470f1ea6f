/// The continuous clock's time since its first use here.
///
/// The compiler does not know the layout of `ContinuousClock.Instant`. Each function that keeps one is several hundred
/// bytes larger than with a duration.
enum SteadyClock {
  private static let start = ContinuousClock.now

  @inline(never)
  static var now: Duration { start.duration(to: .now) }
}
