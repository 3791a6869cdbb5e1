import SoundTrigger

/// The profile that somebody chose, and what is in force because of it and of quiet hours.
struct ProfileChoice: Equatable, Sendable {
  /// What holds at a moment.
  struct Situation: Equatable, Sendable {
    /// The profile in force.
    var profile = Profile.full
    /// Until when quiet hours last, in seconds of UTC since 1970; `nil`: there are none now.
    var quietUntil: Int64?
    /// When it is to be looked at again, unless the clock or the time zone is changed before.
    var nextLook: Int64?
  }

  var profile = Profile.full
  /// When it was chosen, in seconds of UTC since 1970; `nil`: nobody ever did.
  var chosenAt: Int64?

  /// What holds at `now`: in quiet hours the quieter of the choice and `quiet`, but what was chosen during these very
  /// hours as it was chosen; else the choice.
  ///
  /// Nothing is remembered from one look to the next: however the clock jumps, only where it stands counts.
  func situation(at now: Int64, hours: QuietHours?, offset: (Int64) -> Int) -> Situation {
    guard let hours else { return Situation(profile: profile) }
    let place = hours.place(of: now, offset: offset)
    guard case .within(let period) = place else { return Situation(profile: profile, nextLook: place.end) }
    let isChosenMeanwhile = chosenAt.map { (period.start..<period.end).contains($0) } ?? false
    return Situation(
      profile: profile == .full && !isChosenMeanwhile ? .quiet : profile, quietUntil: period.end, nextLook: period.end)
  }
}
