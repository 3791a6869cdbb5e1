/// Which triggers a value concerns: finding them costs the same however many there are of others.
struct WatcherIndex: Sendable {
  /// A trigger that a value concerns.
  struct Watcher: Sendable {
    var trigger: Int
    /// Which of the trigger's values it is; `nil`: the one that cancels it.
    var watch: Int?
  }

  /// For each value the place of its first watcher in `watchers`; one more entry for the end.
  private var starts: [Int]
  /// The watchers of one value side by side, in the order they were given.
  private var watchers: [Watcher]

  /// Takes the (value, watcher) pairs in the order of the triggers.
  init(_ pairs: [(value: ValueID, watcher: Watcher)]) {
    let valueCount = pairs.reduce(0) { max($0, $1.value.index + 1) }
    starts = Array(repeating: 0, count: valueCount + 1)
    for pair in pairs { starts[pair.value.index + 1] += 1 }
    for index in 0..<valueCount { starts[index + 1] += starts[index] }

    watchers = Array(repeating: Watcher(trigger: 0, watch: nil), count: pairs.count)
    var next = starts
    for pair in pairs {
      watchers[next[pair.value.index]] = pair.watcher
      next[pair.value.index] += 1
    }
  }

  /// The places of a value's watchers; none for a value that nobody watches.
  func places(of value: ValueID) -> Range<Int> {
    guard value.index >= 0, value.index < starts.count - 1 else { return 0..<0 }
    return starts[value.index]..<starts[value.index + 1]
  }

  /// The watcher at a place.
  subscript(place: Int) -> Watcher { watchers[place] }
}
