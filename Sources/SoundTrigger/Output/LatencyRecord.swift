/// How long starts took, from the arrival of their cause to the ear: in all, our part and the device's.
package struct LatencyRecord: Sendable {
  /// From the arrival to the ear.
  package private(set) var total = LatencyHistogram()
  /// Until the first frames were handed to the device.
  package private(set) var ours = LatencyHistogram()
  /// From there to the ear, as the device tells it.
  package private(set) var device = LatencyHistogram()

  package init() {}

  package mutating func record(ours mine: Duration, device its: Duration) {
    total.record(mine + its)
    ours.record(mine)
    device.record(its)
  }
}
