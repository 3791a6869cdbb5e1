/// Which triggers watch which value: finding those of one value costs the same however many there are of others.
struct WatcherIndex: Sendable {
  /// For each value the place of its first watcher in `triggers`; one more entry for the end.
  private var starts: [Int]
  /// Trigger indices, those of one value side by side and ascending.
  private var triggers: [Int]

  /// Takes the (value, trigger) pairs in the order of the triggers.
  ///
  /// A trigger may watch several values.
  init(_ pairs: [(value: ValueID, trigger: Int)]) {
    let valueCount = pairs.reduce(0) { max($0, $1.value.index + 1) }
    starts = Array(repeating: 0, count: valueCount + 1)
    for pair in pairs { starts[pair.value.index + 1] += 1 }
    for index in 0..<valueCount { starts[index + 1] += starts[index] }

    triggers = Array(repeating: 0, count: pairs.count)
    var next = starts
    for pair in pairs {
      triggers[next[pair.value.index]] = pair.trigger
      next[pair.value.index] += 1
    }
  }

  /// The places of a value's watchers; none for a value that nobody watches.
  func places(of value: ValueID) -> Range<Int> {
    guard value.index >= 0, value.index < starts.count - 1 else { return 0..<0 }
    return starts[value.index]..<starts[value.index + 1]
  }

  /// The trigger at a place.
  subscript(place: Int) -> Int { triggers[place] }
}
