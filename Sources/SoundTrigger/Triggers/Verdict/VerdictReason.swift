extension TriggerDefinition {
  /// The reason of a verdict of this trigger, in a sentence for people with numbers and contents, without its full stop.
  ///
  /// It is `Verdict.description` if there is nothing to add, or if a reload has changed the condition and the present one contradicts
  /// the verdict.
  package func reason(for change: JudgedChange) -> String { conditionReason(for: change) ?? change.verdict.description }

  private func conditionReason(for change: JudgedChange) -> String? {
    switch change.verdict {
    case .notANumber: Self.notANumber(change)
    case .notIncreased: Self.comparison(change, "more", change.new?.number, isRight: <=)
    case .notDecreased: Self.comparison(change, "less", change.new?.number, isRight: >=)
    case .notFrom: Self.notListed(change.old, from, key: "from", missing: "there is no old value")
    case .notTo: Self.notListed(change.new, to, key: "to", missing: "there is no value")
    case .notMatching: notMatching(change.new)
    case .outside: change.new?.number.flatMap { threshold?.outsideReason($0) }
    case .notArmed: change.new?.number.flatMap { threshold?.notArmedReason($0) }
    case .noSound: change.new.flatMap { sound[$0] == nil ? "there is no sound for \($0.inSentence)" : nil }
    case .throttled(let rest): throttled(rest)
    case .profile(let profile): profileReason(profile)
    default: nil
    }
  }

  private static func notANumber(_ change: JudgedChange) -> String? {
    guard let new = change.new else { return nil }
    if new.number == nil { return "\(new.inSentence) is not a number" }
    guard let old = change.old, old.number == nil else { return nil }
    return "the old value, \(old.inSentence), is not a number"
  }

  private static func comparison(
    _ change: JudgedChange, _ word: String, _ new: Double?, isRight: (Double, Double) -> Bool
  ) -> String? {
    guard let new else { return nil }
    guard let content = change.old else { return "there is no old value to compare \(new.shortestText) with" }
    guard let old = content.number, isRight(new, old) else { return nil }
    return "\(new.shortestText) is not \(word) than \(old.shortestText)"
  }

  /// How many contents of a list are shown.
  private static let listedCount = 5

  private static func notListed(_ content: Value?, _ list: [Value], key: String, missing: String) -> String? {
    if list.isEmpty { return nil }
    let more = list.count - listedCount
    let listed =
      list.prefix(listedCount).map(\.inSentence).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    guard let content else { return "\(missing), and \(key) needs one (\(listed))" }
    return list.contains(content) ? nil : "\(content.inSentence) is not in \(key) (\(listed))"
  }

  private func notMatching(_ content: Value?) -> String? {
    guard let matches else { return nil }
    let source = Excerpt.quoting(matches.source).dropFirst().dropLast()
    guard let content else { return "there is no value to match with \(source)" }
    if case .found? = content.withText({ matches.search($0) }) { return nil }
    return "\(content.inSentence) does not match \(source)"
  }

  private func throttled(_ rest: Duration) -> String? {
    guard let throttle = timing.throttle, rest <= throttle else { return nil }
    return "played \((throttle - rest).rounded) ago, throttle is \(throttle.rounded)"
  }

  private func profileReason(_ profile: Profile) -> String? {
    // With such a step the definition does not tell how important the alarm was.
    let isRaised = loop?.escalation.contains { $0.importance != nil } ?? false
    if !isRaised, profile.admits(settings.importance) { return nil }
    let admitted = PlaySettings.Importance.allCases.filter(profile.admits).map(\.rawValue).joined(separator: " or ")
    return "the profile \(profile.rawValue) admits only sounds of \(admitted) importance"
      + (isRaised ? "" : "; this is \(settings.importance.rawValue)")
  }
}

extension Threshold {
  /// Why a number is beyond no line, or `nil` if it is beyond one.
  fileprivate func outsideReason(_ number: Double) -> String? {
    let text = number.shortestText
    switch (below, above) {
    case (let below?, let above?) where (below...above).contains(number):
      return "\(text) is between \(below.shortestText) and \(above.shortestText)"
    case (nil, let above?) where number <= above: return "\(text) is not above \(above.shortestText)"
    case (let below?, nil) where number >= below: return "\(text) is not below \(below.shortestText)"
    default: return nil
    }
  }

  /// Why a number beyond a line does not cross it, or `nil` if it is beyond none.
  fileprivate func notArmedReason(_ number: Double) -> String? {
    func reason(_ side: String, _ line: Double, back: Double, _ beyond: String) -> String {
      // As the lines themselves, without the last digits that a difference of decimals has too much.
      let back = back.simplest(within: 4 * max(line.magnitude, hysteresis.magnitude).ulp)
      return "\(number.shortestText) is \(side) \(line.shortestText), and it has not gone back to "
        + "\(back.shortestText) or \(beyond) since it last crossed"
    }
    if let above, number > above { return reason("above", above, back: above - hysteresis, "below") }
    if let below, number < below { return reason("below", below, back: below + hysteresis, "above") }
    return nil
  }
}

extension Double {
  /// The decimal with the fewest digits after the point that is this close to the number.
  fileprivate func simplest(within slack: Double) -> Double {
    var scale = 1.0
    while scale <= 1e15 {
      let candidate = (self * scale).rounded() / scale
      if (candidate - self).magnitude <= slack { return candidate }
      scale *= 10
    }
    return self
  }
}

extension Value {
  /// The content as a part of a sentence: a text or a document in quotes, truncated if it is long; a number or a bool as it is.
  fileprivate var inSentence: String {
    switch self {
    case .text, .json: excerpt
    case .number, .bool: text
    case .fingerprint(let fingerprint): "a text of \(fingerprint.length) bytes"
    }
  }
}
