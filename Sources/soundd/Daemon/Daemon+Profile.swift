import SoundTrigger

/// Who is heard.
extension Daemon {
  /// `profile NAME`.
  func setProfile(_ text: String) -> Reply {
    guard let chosen = Profile(rawValue: text) else {
      let words = Profile.allCases.map(\.rawValue)
      let near = Suggestion.nearest(to: text, among: words).map { " (did you mean '\($0)'?)" } ?? ""
      return .error("expected one of \(words.joined(separator: ", ")), found \(QuotedText.single(text))\(near)")
    }
    profile?.choose(chosen)
    state?.mayHaveChanged()
    return .ok
  }
}

extension Daemon {
  /// What `status` shows of it.
  var profileReport: StatusReport.Profile {
    let situation = profile?.situation ?? ProfileChoice.Situation()
    return StatusReport.Profile(
      name: situation.profile.rawValue, chosen: (profile?.choice ?? ProfileChoice()).profile.rawValue,
      quietUntil: situation.quietUntil.map { LocalTimestamp(seconds: $0, offset: LocalTime.offset(at: $0)) })
  }
}
