import Synchronization

/// Durations counted in buckets that grow with them: eight to a doubling, so a bucket is at most 12.5 % wide.
///
/// Written by one thread (no read-modify-write is needed), read by any; recording allocates nothing.
struct LatencyHistogram: ~Copyable {
  /// From 1 µs to 67 s, and one for what is longer.
  private static let bucketCount = 26 * 8 + 1
  /// Relaxed: a reader may miss the latest records, no record is lost.
  private let buckets: UnsafeMutablePointer<Atomic<UInt64>>
  private let longest = Atomic<Int64>(0)

  init() {
    buckets = .allocate(capacity: Self.bucketCount)
    for index in 0..<Self.bucketCount { (buckets + index).initialize(to: Atomic(0)) }
  }

  deinit {
    buckets.deinitialize(count: Self.bucketCount)
    buckets.deallocate()
  }

  /// Counts a duration; less than 1 µs counts as 1 µs.
  @_noLocks func record(nanoseconds: Int64) {
    if nanoseconds > longest.load(ordering: .relaxed) { longest.store(nanoseconds, ordering: .relaxed) }
    let bucket = buckets + bucketIndex(nanoseconds)
    bucket.pointee.store(bucket.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// The octave of the duration in µs, and the three bits after its leading one.
  @_noLocks private func bucketIndex(_ nanoseconds: Int64) -> Int {
    let eighths = nanoseconds / 125
    if eighths < 8 { return 0 }
    let octave = 60 &- eighths.leadingZeroBitCount
    let index = octave &* 8 &+ Int(truncatingIfNeeded: (eighths >> Int64(octave)) & 7)
    return index < 208 ? index : 208
  }

  /// What was recorded so far.
  func summary() -> LatencySummary {
    let counts = (0..<Self.bucketCount).map { (buckets + $0).pointee.load(ordering: .relaxed) }
    let count = counts.reduce(0, +)
    let most = Double(longest.load(ordering: .relaxed)) / 1000
    func percentile(_ share: Double) -> Double? {
      guard count > 0 else { return nil }
      let rank = UInt64((Double(count) * share).rounded(.up))
      var seen: UInt64 = 0
      for (index, bucket) in counts.enumerated() {
        seen += bucket
        if seen >= rank { return min(Self.middle(of: index), most) }
      }
      return nil
    }
    return LatencySummary(
      count: count, median: percentile(0.5), percentile99: percentile(0.99),
      maximum: count > 0 ? most : nil)
  }

  /// In µs.
  private static func middle(of index: Int) -> Double {
    let octave = index / 8
    let width = Double(UInt64(1) << UInt64(octave)) / 8
    return (Double(8 + index % 8) + 0.5) * width
  }
}

/// A histogram's figures, in microseconds; `nil` as long as nothing was recorded.
package struct LatencySummary: Equatable, Sendable {
  package var count: UInt64
  package var median: Double?
  package var percentile99: Double?
  package var maximum: Double?
}
