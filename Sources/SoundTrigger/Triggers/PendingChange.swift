/// A change of which it is not decided yet what becomes of it.
struct PendingChange: Sendable {
  /// When it came; of a burst its latest arrival.
  var at: Instant
  /// Whose change it is: the place among the trigger's values.
  var watch: Int
  /// Of a burst, the value before its first arrival.
  var old: Value
  var new: Value
  /// Its record in the `ChangeLog`; `nil`: it has none yet.
  var record: Int?
}
