import Glibc

/// What the number that a trigger watches does to its sound: one part of `map`.
package struct Mapping: Hashable, Sendable {
  /// Which property of the sound it changes. The raw values are the configuration's words.
  package enum Target: String, CaseIterable, Sendable {
    /// In semitones.
    case pitch
    /// In decibels.
    case volume
    case pan
  }

  /// Which number counts.
  package enum Source: String, CaseIterable, Sendable {
    case value
    /// The one before; without one, the present one.
    case old
    /// By how much it has grown; 0 if there was none before.
    case delta
  }

  package enum Curve: String, CaseIterable, Sendable { case linear, log }

  package struct Ends: Hashable, Sendable {
    package var first: Double, last: Double

    package init(_ first: Double, _ last: Double) { (self.first, self.last) = (first, last) }
  }

  /// What `to` may be for the pitch, in semitones: two octaves down and up.
  package static let pitches = -24.0...24
  /// A volume at or below this is silence, in decibels.
  package static let silence = -60.0

  package var target: Target
  /// Two different numbers; what is outside counts as the nearer one.
  package var from: Ends
  /// What these do to the sound, in the unit of `target`.
  package var to: Ends
  package var source = Source.value
  package var curve = Curve.linear

  package init(_ target: Target, from: Ends, to: Ends, of source: Source = .value, curve: Curve = .linear) {
    (self.target, self.from, self.to, self.source, self.curve) = (target, from, to, source, curve)
  }

  /// The number that counts, and what it does in the unit of `target`; `nil` if the contents are not numbers.
  func result(old: Value?, new: Value?) -> (number: Double, effect: Double)? {
    guard case .number(let new)? = new else { return nil }
    let old = if case .number(let number)? = old { number } else { new }
    let number =
      switch source {
      case .value: new
      case .old: old
      case .delta: new - old
      }
    // Differences of huge numbers may be infinite.
    let inside = min(max(number, min(from.first, from.last)), max(from.first, from.last))
    return (number, to.first + part(of: inside) * (to.last - to.first))
  }

  /// Where a number between the ends lies: 0 at the first one, 1 at the last one.
  private func part(of number: Double) -> Double {
    let (first, last, number) = (scale(from.first), scale(from.last), scale(number))
    // The difference of two huge numbers is infinite, that of their halves is not.
    let isHuge = !(last - first).isFinite
    let part = isHuge ? (number / 2 - first / 2) / (last / 2 - first / 2) : (number - first) / (last - first)
    // Numbers may be so close that their logarithms are equal.
    return part.isFinite ? part : 0
  }

  private func scale(_ number: Double) -> Double { curve == .log ? log(number) : number }

  /// Changes settings by it.
  func apply(to settings: inout PlaySettings, old: Value?, new: Value?) {
    guard let effect = result(old: old, new: new)?.effect else { return }
    switch target {
    case .pitch: settings.pitch += Float(effect)
    case .volume: settings.volume *= effect <= Self.silence ? 0 : min(1, pow(10, effect / 20))
    case .pan: settings.pan = min(1, max(-1, settings.pan + effect))
    }
  }

  /// What it does for a change, for people; `nil` if the contents are not numbers.
  package func text(old: Value?, new: Value?) -> String? {
    guard let (number, effect) = result(old: old, new: new) else { return nil }
    let rounded = (effect * 100).rounded() / 100
    let text =
      switch target {
      case .pitch: "pitch \(rounded.shortestText) st"
      case .volume: "volume \(rounded.shortestText) dB"
      case .pan: "pan \(rounded.shortestText)"
      }
    let ends = [from.first, from.last].sorted()
    if ends[0]...ends[1] ~= number { return text }
    return "\(text), because \(number.shortestText) is not within \(ends[0].shortestText) to \(ends[1].shortestText)"
  }

  func check(_ watched: [WatchedValue], _ problems: inout [TriggerProblem]) {
    if let other = watched.first(where: { $0.kind != .number }) {
      problems.add("map", "needs numbers; \(other.name) is of type \"\(other.kind.rawValue)\" (`type` = \"number\"?)")
    }
    let (key, numbers) = (target.rawValue, [from.first, from.last])
    problems.add(
      "map", "`from` of \(key) must be two different numbers",
      if: from.first == from.last || !from.first.isFinite || !from.last.isFinite)
    problems.add(
      "map", "`curve` = \"log\" of \(key) needs numbers greater than 0",
      if: curve == .log && numbers.contains { $0 <= 0 })
    let range =
      switch target {
      case .pitch: Self.pitches
      case .volume: Self.silence...0
      case .pan: -1.0...1
      }
    let isWithin = range ~= to.first && range ~= to.last
    problems.add(
      "map", "`to` of \(key) must be within \(range.lowerBound.shortestText) and \(range.upperBound.shortestText)",
      if: !isWithin)
  }
}
