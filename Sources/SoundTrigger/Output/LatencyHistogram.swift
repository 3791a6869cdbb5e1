/// Durations counted in buckets that grow with them, as in HdrHistogram: 32 to a doubling, so a figure is off by 3 % at most.
///
/// From 1 µs to 67 s; a plain value of the control side. Takes its memory (3.4 KB) at the first record.
package struct LatencyHistogram: Sendable {
  private static let bucketCount = 26 * 32 + 1
  private var buckets: [UInt32] = []
  private var longest = Duration.zero
  private var count: UInt64 = 0

  package init() {}

  /// Counts a duration; less than 1 µs counts as 1 µs.
  package mutating func record(_ duration: Duration) {
    if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
    longest = max(longest, duration)
    let index = Self.index(of: duration.nanoseconds)
    buckets[index] &+= 1
    count += 1
  }

  /// The octave of the duration in µs, and the five bits after its leading one.
  private static func index(of nanoseconds: Int64) -> Int {
    let parts = max(32, nanoseconds * 32 / 1000)
    let octave = 58 - parts.leadingZeroBitCount
    return min(bucketCount - 1, octave * 32 + Int(parts >> Int64(octave)) & 31)
  }

  /// The middle of a bucket, in µs.
  private static func middle(of index: Int) -> Double {
    Double(UInt64(1) << UInt64(index / 32)) * (1 + (Double(index % 32) + 0.5) / 32)
  }

  /// What was recorded so far.
  package var summary: LatencySummary {
    let most = Double(longest.nanoseconds) / 1000
    func percentile(_ share: Double) -> Double? {
      let rank = UInt64((Double(count) * share).rounded(.up))
      var seen: UInt64 = 0
      for (index, bucket) in buckets.enumerated() {
        seen += UInt64(bucket)
        if seen >= rank { return min(Self.middle(of: index), most) }
      }
      return nil
    }
    return LatencySummary(
      count: count, median: percentile(0.5), percentile99: percentile(0.99), maximum: count > 0 ? most : nil)
  }
}

/// A histogram's figures, in microseconds; `nil` as long as nothing was recorded.
package struct LatencySummary: Equatable, Sendable {
  package var count: UInt64
  package var median: Double?
  package var percentile99: Double?
  package var maximum: Double?
}
