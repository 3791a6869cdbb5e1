import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// The state of an alarm for people.
struct AlarmSentenceTests {
  private static let now = Timestamp(seconds: 1_769_847_307)
  private static func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: now.seconds + seconds) }
  private static func text(_ seconds: Int64) -> String { later(seconds).localTime(at: now) }

  private func sentence(
    _ state: AlarmState, _ life: AlarmLife, _ change: (inout AlarmMessage) -> Void = { _ in }
  ) -> String {
    var alarm = AlarmMessage()
    (alarm.state, alarm.life) = (Word(state), Word(life))
    change(&alarm)
    alarm.makeSentence(now: Self.now)
    return alarm.sentence
  }

  @Test func `a life has its word, and since when it is so`() {
    #expect(sentence(.normal, .normal) == "normal")
    #expect(sentence(.active, .active) { $0.since = Self.later(-60) } == "active since \(Self.text(-60))")
    #expect(sentence(.latched, .latched) { $0.since = Self.later(-1) } == "latched since \(Self.text(-1))")
  }

  @Test func `an alarm of another day has the date`() {
    let sentence = sentence(.active, .active) { $0.since = Self.later(-3 * 86_400) }
    #expect(sentence == "active since \(Self.text(-3 * 86_400))" && sentence.contains("2026-01-28 "))
  }

  @Test func `what silences it comes first, with its end, and the life stands in parentheses`() {
    let snoozed = sentence(.snoozed, .active) {
      ($0.since, $0.until, $0.snoozedUntil) = (Self.later(-60), Self.later(600), Self.later(600))
      $0.why = "snoozed"
    }
    #expect(snoozed == "snoozed until \(Self.text(600)) (active since \(Self.text(-60)))")
    let suppressed = sentence(.suppressed, .acknowledged) { $0.why = "x is true (unless)" }
    #expect(suppressed == "suppressed: x is true (unless) (acknowledged)")
  }

  @Test func `a normal one that is snoozed says both`() {
    #expect(
      sentence(.normal, .normal) { $0.snoozedUntil = Self.later(60) } == "snoozed until \(Self.text(60)) (normal)")
  }

  @Test func `a cause that changes no state follows the life`() {
    #expect(sentence(.active, .active) { $0.why = "every voice plays" } == "active: every voice plays")
  }

  @Test func `a silence of more than a day has its age, unless it is for the log`() {
    var alarm = AlarmMessage()
    (alarm.state, alarm.life, alarm.why) = (Word(.suppressed), Word(.active), "x is true (unless)")
    alarm.since = Self.later(-2 * 86_400 - 3600)
    let since = Self.text(-2 * 86_400 - 3600)
    #expect(
      alarm.sentence(ageAt: Self.now) == "suppressed: x is true (unless) (active since \(since), 2 days 1 h ago)")
    #expect(alarm.sentence(ageAt: nil).hasPrefix("suppressed: x is true (unless) (active since "))
    #expect(!alarm.sentence(ageAt: nil).contains("ago"))
  }
}
