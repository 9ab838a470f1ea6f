/// The time of the continuous clock since its first use here.
///
/// The compiler does not know the layout of `ContinuousClock.Instant`. A function that keeps an instant is several
/// hundred bytes larger than one that keeps a duration.
enum SteadyClock {
  private static let start = ContinuousClock.now

  @inline(never)
  static var now: Duration { start.duration(to: .now) }
}
