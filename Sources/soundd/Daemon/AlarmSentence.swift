import SoundTrigger
import SoundWire

/// The state of an alarm for people: all of the program shows it in these words.
extension AlarmMessage {
  mutating func makeSentence(now: Timestamp) { sentence = sentence(ageAt: now) }

  /// `active since 14:05:11`, `snoozed until 14:20:00 (active since 14:05:11)`. With `ageAt`, a silenced alarm that began long
  /// before that time also has its age.
  func sentence(ageAt now: Timestamp?) -> String {
    let clock = now ?? .now()
    let isSnoozed = snoozedUntil != nil
    let state = isSnoozed ? AlarmState.snoozed.rawValue : self.state.text
    let age = now.flatMap { ageOfSilence(at: $0) }.map { ", \($0.rounded) ago" } ?? ""
    let since = since.map { " since \($0.localTime(at: clock))\(age)" } ?? ""
    let until = (self.until ?? snoozedUntil).map { " until \($0.localTime(at: clock))" } ?? ""
    let why = isSnoozed ? "" : why.map { ": \($0)" } ?? ""
    return state == life.text ? "\(state)\(since)\(until)\(why)" : "\(state)\(until)\(why) (\(life.text)\(since))"
  }

  /// How long ago a silenced alarm began, if that is long ago.
  func ageOfSilence(at now: Timestamp) -> Duration? {
    guard why != nil, let since else { return nil }
    let age = Duration.seconds(now.seconds - since.seconds)
    return age > OldSilences.age ? age : nil
  }
}
