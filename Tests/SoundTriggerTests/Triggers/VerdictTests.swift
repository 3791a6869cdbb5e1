import Testing

@testable import SoundTrigger

/// What `explain` says of a change.
struct VerdictTests {
  /// A verdict, its word for programs and its sentence for people.
  struct Case: CustomTestStringConvertible, Sendable {
    var verdict: Verdict
    var word: String
    var sentence: String
    var testDescription: String { word }

    init(_ verdict: Verdict, _ word: String, _ sentence: String) {
      self.verdict = verdict
      self.word = word
      self.sentence = sentence
    }
  }

  static let all = [
    Case(.starting, "starting", "started, but no device has accepted it yet"),
    Case(.played, "played", "played"),
    Case(.muted, "muted", "played unheard, because soundd or the trigger was muted"),
    Case(.appeared, "appeared", "the first content is not a change (initial is false)"),
    Case(
      .asBefore, "as_before",
      "the first content equals the one at the last stop, or that one is unknown (initial is \"if-changed\")"),
    Case(
      .waiting(for: .milliseconds(800)), "waiting", "waits until the value has been still for 0.8 s (debounce)"),
    Case(
      .superseded, "superseded",
      "a later change replaced it before the value had been still for long enough (debounce)"),
    Case(.returned, "returned", "the value came to rest where it began (debounce)"),
    Case(.delayed(for: .seconds(5)), "delayed", "waits for 5 s, unless its condition ends before (delay)"),
    Case(.alreadyDelayed, "already_delayed", "an earlier change is already waiting (delay)"),
    Case(.calledOff, "called_off", "its condition ended while it waited"),
    Case(.cancelled, "cancelled", "called off before it was heard"),
    Case(.notANumber, "not_a_number", "the condition compares numbers, and the value is not a number"),
    Case(.notIncreased, "not_increased", "the number has not increased"),
    Case(.notDecreased, "not_decreased", "the number has not decreased"),
    Case(.notFrom, "not_from", "the old value is none of those in from"),
    Case(.notTo, "not_to", "the new value is none of those in to"),
    Case(.notMatching, "not_matching", "the new value does not match the expression in matches"),
    Case(
      .overBudget, "over_budget", "not matched, because the expressions of one update share a budget, and it was spent"),
    Case(
      .tooCostlyToMatch, "too_costly_to_match", "the match with the new value was given up because it took too long"),
    Case(.tooLongToMatch, "too_long_to_match", "the new content is too long to match"),
    Case(.notStale, "not_stale", "the value was reported in time, and only its staleness plays"),
    Case(.outside, "outside", "the number is not beyond the threshold"),
    Case(.notArmed, "not_armed", "the number has not gone back far enough since it last crossed the threshold"),
    Case(.noSound, "no_sound", "there is no sound for the new value"),
    Case(
      .throttled(for: .milliseconds(28_430)), "throttled",
      "too soon after the last play: the next could come 28.4 s later (throttle)"),
    Case(.stillSounding, "still_sounding", "its last sound was still running (overlap is \"ignore\")"),
    Case(.queued(place: 3), "queued", "waits for its turn, at place 3"),
    Case(.queueFull, "queue_full", "16 plays waited for their turn already"),
    Case(.alreadyLooping, "already_looping", "it sounds already, until its condition ends (loop)"),
    Case(.profile(.quiet), "profile", "the profile quiet admits only more important sounds"),
    Case(.late(by: .seconds(7500)), "late", "too late by 2 h 5 min: the machine was asleep or too busy (fresh)"),
    Case(.noDevice, "no_device", "no device accepted it in time (fresh)"),
    Case(.broken, "broken", "its sound could not be loaded"),
    Case(.crowded, "crowded", "no voice was left for it (limits.voices)"),
    Case(.ending, "ending", "soundd was shutting down"),
  ]

  @Test(arguments: all)
  func `a verdict has a word for programs and a sentence for people`(example: Case) {
    #expect(example.verdict.word == example.word)
    #expect(example.verdict.description == example.sentence)
  }

  @Test func `no two verdicts have the same word`() {
    #expect(Set(Self.all.map(\.word)).count == Self.all.count)
    #expect(Self.all.map(\.word).allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
  }

  @Test(arguments: [
    (Duration.zero, "0 s"), (.seconds(-3), "0 s"), (.nanoseconds(1), "less than 0.1 ms"),
    (.nanoseconds(49_999), "less than 0.1 ms"), (.nanoseconds(50_000), "0.1 ms"), (.microseconds(2500), "2.5 ms"),
    (.nanoseconds(9_949_999), "9.9 ms"), (.nanoseconds(9_950_000), "10 ms"), (.milliseconds(35), "35 ms"),
    (.nanoseconds(99_499_999), "99 ms"), (.nanoseconds(99_500_000), "0.1 s"), (.milliseconds(100), "0.1 s"),
    (.milliseconds(800), "0.8 s"), (.milliseconds(250), "0.25 s"),
    (.milliseconds(1500), "1.5 s"), (.milliseconds(9_994), "9.99 s"), (.milliseconds(9_995), "10 s"),
    (.milliseconds(12_340), "12.3 s"), (.milliseconds(1050), "1.05 s"), (.seconds(30), "30 s"),
    (.milliseconds(59_949), "59.9 s"), (.milliseconds(59_950), "1 min"), (.seconds(60), "1 min"),
    (.milliseconds(250_400), "4 min 10 s"), (.milliseconds(3_599_499), "59 min 59 s"),
    (.milliseconds(3_599_500), "1 h"), (.seconds(7500), "2 h 5 min"), (.seconds(86_369), "23 h 59 min"),
    (.seconds(86_370), "1 day"), (.seconds(90_000), "1 day 1 h"), (.seconds(273_600), "3 days 4 h"),
    (.seconds(365 * 86_400), "365 days"), (.seconds(Int64.max), "106752 days"),
  ])
  func `a duration is written as people would say it`(duration: Duration, text: String) {
    #expect(duration.rounded == text)
  }
}
