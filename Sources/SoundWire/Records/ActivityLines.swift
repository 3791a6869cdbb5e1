package import SoundTrigger

/// The first line of the counts of `soundd report`.
package struct ActivityHead: Message, Sendable {
  package var writtenAt = Timestamp(seconds: 0)

  package init() {}

  package mutating func members(_ m: inout some Members) { m.required("written_at", &writtenAt) }
}

/// What a trigger did in an hour: each other line, and in `ActivityMessage`.
package struct ActivityLine: Message, Equatable, Sendable {
  /// The hour of UTC since 1970.
  package var hour = 0
  package var trigger = ""
  /// Sounds that were heard; how often it became active, how often it was acknowledged, and how long that took in all; how often
  /// it became active within a minute at most, all alarms within ten minutes, and the longest wait. Times are in microseconds.
  package var figures: [Int] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("hour", &hour)
    m.required("trigger", &trigger)
    m.required("figures", &figures)
  }
}
