package import SoundTrigger

/// The latency from the arrival of a change to its sound, in `status`: in total, soundd's part (until the device has the first
/// frames), and the device's part.
package struct LatencyMessage: Message, Sendable {
  /// How many plays were measured.
  package var count = 0
  package var p50: Duration?
  package var p99: Duration?
  package var max: Duration?
  package var oursP50: Duration?
  package var oursP99: Duration?
  package var deviceP50: Duration?
  package var deviceP99: Duration?
  /// Pairs of an upper bound in µs and a count; `nil` for single triggers.
  package var histogram: [[Double]]?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("count", &count)
    m("p50", &p50)
    m("p99", &p99)
    m("max", &max)
    m("ours_p50", &oursP50)
    m("ours_p99", &oursP99)
    m("device_p50", &deviceP50)
    m("device_p99", &deviceP99)
    m.ifPresent("histogram", &histogram)
  }
}
