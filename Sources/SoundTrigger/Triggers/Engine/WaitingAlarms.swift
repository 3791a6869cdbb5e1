/// The alarms that wait for a voice, a device or a sound, by their rank and then by their place in the engine.
///
/// Thousands may wait while hundreds of voices come free each second. So each rank is an array that stays sorted.
struct WaitingAlarms: Sendable {
  /// By rank; a greater one comes first.
  private var ranks: [Int: [Int]] = [:]
  private var rankOfAlarm: [Int: Int] = [:]

  var isEmpty: Bool { rankOfAlarm.isEmpty }

  /// In the order in which they take voices.
  var all: [Int] { ranks.sorted { $0.key > $1.key }.flatMap(\.value) }

  /// Adds an alarm, or moves it to another rank.
  mutating func insert(_ alarm: Int, rank: Int) {
    if rankOfAlarm[alarm] == rank { return }
    remove(alarm)
    rankOfAlarm[alarm] = rank
    let place = place(of: alarm, rank: rank)
    ranks[rank, default: []].insert(alarm, at: place)
  }

  /// Removes an alarm, if it waits.
  mutating func remove(_ alarm: Int) {
    guard let rank = rankOfAlarm.removeValue(forKey: alarm) else { return }
    let place = place(of: alarm, rank: rank)
    ranks[rank]?.remove(at: place)
  }

  /// Where an alarm is among those of its rank, or would be.
  private func place(of alarm: Int, rank: Int) -> Int {
    let alarms = ranks[rank] ?? []
    var (low, high) = (0, alarms.count)
    while low < high {
      let middle = (low + high) / 2
      if alarms[middle] < alarm { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
