/// Counts durations in buckets that grow with them, as HdrHistogram does: 32 to a doubling, so a figure is off by at most 3 %.
///
/// From 1 µs to 67 s. It allocates its memory (3.4 KB) at the first record.
package struct LatencyHistogram: Sendable {
  private static let bucketCount = 26 * 32 + 1
  private var counts: [UInt32] = []
  private var longestNanoseconds: Int64 = 0
  private var count: UInt64 = 0

  package init() {}

  /// Counts a duration; less than 1 µs counts as 1 µs.
  mutating func record(nanoseconds: Int64) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    longestNanoseconds = max(longestNanoseconds, nanoseconds)
    let index = Self.index(of: nanoseconds)
    counts[index] &+= 1
    count += 1
  }

  /// Counts what another histogram has counted.
  mutating func add(_ other: LatencyHistogram) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    for (index, more) in other.counts.enumerated() { counts[index] &+= more }
    longestNanoseconds = max(longestNanoseconds, other.longestNanoseconds)
    count += other.count
  }

  /// The octave of the duration in µs, and the five bits after its leading one.
  private static func index(of nanoseconds: Int64) -> Int {
    let parts = max(32, nanoseconds * 32 / 1000)
    let octave = 58 - parts.leadingZeroBitCount
    return min(bucketCount - 1, octave * 32 + Int(parts >> Int64(octave)) & 31)
  }

  /// The first whole µs that no duration in a bucket exceeds; `nil` for the last bucket, which has no bound.
  private static func upperBound(of index: Int) -> Int? {
    if index == bucketCount - 1 { return nil }
    return ((32 + index % 32 + 1) << (index / 32) + 31) / 32
  }

  /// The middle of a bucket, in µs.
  private static func middle(of index: Int) -> Double {
    Double(UInt64(1) << UInt64(index / 32)) * (1 + (Double(index % 32) + 0.5) / 32)
  }

  /// How many durations are at most `upperBoundMicroseconds` and more than the bound before; buckets without any are left
  /// out. The bounds rise.
  package var buckets: [(upperBoundMicroseconds: Int, count: Int)] {
    var result: [(upperBoundMicroseconds: Int, count: Int)] = []
    for (index, count) in counts.enumerated() where count > 0 {
      let bound = Self.upperBound(of: index) ?? Int((longestNanoseconds + 999) / 1000)
      // Below 32 µs several buckets end in the same microsecond.
      if result.last?.upperBoundMicroseconds == bound {
        result[result.count - 1].count += Int(count)
      } else {
        result.append((bound, Int(count)))
      }
    }
    return result
  }

  /// What was recorded so far.
  package var summary: LatencySummary {
    let most = Double(longestNanoseconds) / 1000
    func percentile(_ share: Double) -> Double? {
      let rank = UInt64((Double(count) * share).rounded(.up))
      var seen: UInt64 = 0
      for (index, more) in counts.enumerated() {
        seen += UInt64(more)
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

/// How long starts took, from the arrival of their cause to the ear: in all, our part and the device's.
package struct LatencyRecord: Sendable {
  /// From the arrival to the ear, or to the device if its part is unknown.
  package private(set) var total = LatencyHistogram()
  /// Until the device had the first frames.
  package private(set) var ours = LatencyHistogram()
  /// From then until they are played, as the device says.
  package private(set) var device = LatencyHistogram()

  package init() {}

  mutating func add(_ other: LatencyRecord) {
    total.add(other.total)
    ours.add(other.ours)
    device.add(other.device)
  }

  package mutating func record(_ latency: VoiceReport.Latency) {
    total.record(nanoseconds: latency.oursNanoseconds &+ (latency.deviceNanoseconds ?? 0))
    ours.record(nanoseconds: latency.oursNanoseconds)
    if let time = latency.deviceNanoseconds { device.record(nanoseconds: time) }
  }
}
