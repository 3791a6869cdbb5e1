/// One occurrence of an alarm: from the moment when it leaves `normal` until it is normal again.
///
/// An alarm that is active again after it was acknowledged begins a new occurrence. Each number is greater than each before it, even
/// over a restart of soundd.
package struct AlarmID: Hashable, Comparable, Sendable {
  package var rawValue: Int64
  package init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// The numbers that are taken from a state file. Every reader of JSON keeps them exactly.
  static let valid = AlarmID(1)...AlarmID(1 << 53 - 1)

  var next: AlarmID { AlarmID(rawValue + 1) }

  package static func < (left: AlarmID, right: AlarmID) -> Bool { left.rawValue < right.rawValue }
}
