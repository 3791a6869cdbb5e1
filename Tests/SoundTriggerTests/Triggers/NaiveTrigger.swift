import SoundTrigger

/// What a trigger plays, worked out from the whole history of its value at once: a second opinion on the engine, which
/// keeps no state from one change to the next and shares no code with it.
struct NaiveTrigger {
  struct Arrival {
    var time: Int64
    var change: Change
  }

  /// A change that has come to rest.
  private struct Settled {
    var time: Int64
    var old: Value
    var new: Value
    var isAppearance: Bool
    /// Whether it only says where the value is.
    var isMute: Bool
  }

  var definition: TriggerDefinition
  var isEvent: Bool
  /// All arrivals since the trigger exists.
  var history: [Arrival] = []

  /// The plays until a time, this one included, as (time, sound).
  func plays(until end: Int64) -> [(time: Int64, sound: String)] {
    var plays: [(time: Int64, sound: String)] = []
    for (life, lifeEnd) in lives(until: end) {
      let settled = settled(life, until: lifeEnd)
      for (index, change) in settled.enumerated() where !change.isMute {
        guard conditionsHold(change), crosses(settled, index), let sound = sound(change.new) else { continue }
        if let throttle = definition.throttle, let last = plays.last,
          .milliseconds(change.time - last.time) < throttle
        {
          continue
        }
        plays.append((change.time, sound))
      }
    }
    return plays
  }

  /// The history cut before each appearance, and until when each piece may be waited for.
  private func lives(until end: Int64) -> [(life: [Arrival], end: Int64)] {
    let cuts = history.indices.filter { $0 == 0 || history[$0].change.isAppearance }
    return cuts.enumerated().map { number, start in
      let next = number + 1 < cuts.count ? cuts[number + 1] : history.count
      return (Array(history[start..<next]), next < history.count ? history[next].time : end)
    }
  }

  private func settled(_ life: [Arrival], until end: Int64) -> [Settled] {
    var result: [Settled] = []
    var rest = life
    if let first = rest.first, first.change.isAppearance, !definition.initial {
      result.append(
        Settled(time: first.time, old: first.change.old, new: first.change.new, isAppearance: true, isMute: true))
      rest.removeFirst()
    }
    guard let debounce = definition.debounce else {
      return result
        + rest.map {
          Settled(
            time: $0.time, old: $0.change.old, new: $0.change.new, isAppearance: $0.change.isAppearance, isMute: false)
        }
    }
    let wait = debounce.nanoseconds / 1_000_000
    // A burst begins at each arrival that follows the one before it by the interval or more.
    let starts = rest.indices.filter { $0 == 0 || rest[$0].time - rest[$0 - 1].time >= wait }
    for (number, start) in starts.enumerated() {
      let last = (number + 1 < starts.count ? starts[number + 1] : rest.count) - 1
      let (begin, finish) = (rest[start], rest[last])
      guard finish.time + wait <= end else { continue }
      let isMute = begin.change.old == finish.change.new && !isEvent && !begin.change.isAppearance
      result.append(
        Settled(
          time: finish.time + wait, old: begin.change.old, new: finish.change.new,
          isAppearance: begin.change.isAppearance, isMute: isMute))
    }
    return result
  }

  private func conditionsHold(_ change: Settled) -> Bool {
    let hasFrom = definition.from.isEmpty || definition.from.contains { $0 == change.old }
    let hasTo = definition.to.isEmpty || definition.to.contains { $0 == change.new }
    return hasFrom && hasTo && directionHolds(change)
  }

  private func directionHolds(_ change: Settled) -> Bool {
    if definition.when == .change { return true }
    guard let old = number(change.old), let new = number(change.new) else { return false }
    return definition.when == .increase ? old < new : old > new
  }

  /// Whether the number comes to lie beyond a line, judged for each by looking back over where it was.
  private func crosses(_ settled: [Settled], _ index: Int) -> Bool {
    guard let threshold = definition.threshold else { return true }
    guard let new = number(settled[index].new) else { return false }
    var places = settled[..<index].map(\.new)
    if let first = settled.first, !first.isAppearance { places.insert(first.old, at: 0) }
    let track = places.compactMap(number) + [new]
    // How far beyond a line each number was; negative: how far it was on the near side.
    let beyondAbove = threshold.above.map { line in track.map { $0 - line } }
    let beyondBelow = threshold.below.map { line in track.map { line - $0 } }
    return [beyondAbove, beyondBelow].contains { $0.map { endsInCrossing($0, threshold.hysteresis) } ?? false }
  }

  /// Whether the last number is beyond the line, and the one before it that tells anything was far enough back.
  private func endsInCrossing(_ distances: [Double], _ hysteresis: Double) -> Bool {
    guard let last = distances.last, last > 0 else { return false }
    let telling = distances.dropLast().last { $0 > 0 || -$0 >= hysteresis }
    return telling.map { $0 <= 0 } ?? true
  }

  private func sound(_ value: Value) -> String? {
    switch definition.sound {
    case .sound(let name): name
    case .table(let names, let otherwise): names.first { $0.key == value }?.value ?? otherwise
    }
  }

  private func number(_ value: Value) -> Double? {
    if case .number(let number) = value { number } else { nil }
  }
}
