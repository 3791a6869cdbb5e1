import Testing

@testable import SoundTrigger

@Suite struct LatencyHistogramTests {
  @Test func `the filled buckets come with whole microseconds that nothing in them exceeds`() {
    var histogram = LatencyHistogram()
    #expect(histogram.buckets.isEmpty)
    for nanoseconds in [1, 1_000, 1_500, 2_000, 1_000_000, 1_001_000, 100_000_000_000] as [Int64] {
      histogram.record(.nanoseconds(nanoseconds))
    }
    let buckets = histogram.buckets
    #expect(buckets.map(\.count).reduce(0, +) == 7)
    #expect(buckets.map(\.upperBoundMicroseconds) == buckets.map(\.upperBoundMicroseconds).sorted())
    // 1.5 µs is rounded up with its bucket; 2 µs is the first of a bucket that ends at 2.06 µs.
    #expect(buckets.prefix(2).map(\.upperBoundMicroseconds) == [2, 3])
    #expect(buckets.prefix(2).map(\.count) == [3, 1])
    #expect(buckets.last?.upperBoundMicroseconds == 100_000_000)
  }

  @Test func `nothing recorded has no figures`() {
    let summary = LatencyHistogram().summary
    #expect(summary == LatencySummary(count: 0, median: nil, percentile99: nil, maximum: nil))
  }

  @Test(arguments: [1, 7, 31, 32, 33, 100, 1000, 4928, 65_535, 1_000_000, 60_000_000])
  func `a figure is off by no more than three hundredths`(microseconds: Int) throws {
    var histogram = LatencyHistogram()
    for _ in 0..<100 { histogram.record(.microseconds(microseconds)) }
    // A larger one, lest the figure is cut off at the largest.
    histogram.record(.microseconds(2 * microseconds))
    let median = try #require(histogram.summary.median)
    #expect(abs(median / Double(microseconds) - 1) <= 0.032)
  }

  @Test func `percentiles are those of the ranks`() throws {
    var histogram = LatencyHistogram()
    for value in 1...1000 { histogram.record(.microseconds(value)) }
    let summary = histogram.summary
    #expect(summary.count == 1000)
    #expect(abs(try #require(summary.median) - 500) < 16)
    #expect(abs(try #require(summary.percentile99) - 990) < 32)
    #expect(summary.maximum == 1000)
  }

  @Test func `what is out of range counts at its ends, and the maximum is exact all the same`() throws {
    var histogram = LatencyHistogram()
    histogram.record(.nanoseconds(-5))
    histogram.record(.nanoseconds(10))
    histogram.record(.seconds(1000))
    #expect(histogram.summary.count == 3)
    #expect(histogram.summary.maximum == 1_000_000_000)
    #expect(try #require(histogram.summary.median) < 1.1)
  }
}

extension LatencyHistogram {
  fileprivate mutating func record(_ duration: Duration) { record(nanoseconds: duration.nanoseconds) }
}
