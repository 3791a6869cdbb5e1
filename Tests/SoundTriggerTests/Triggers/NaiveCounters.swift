import SoundTrigger

/// What a trigger of the naive model has done.
struct NaiveCounters {
  var changes = 0
  var played = 0
  var dropped = 0
  var lastPlay: Int64?
  var lastVerdict: Verdict?
}
