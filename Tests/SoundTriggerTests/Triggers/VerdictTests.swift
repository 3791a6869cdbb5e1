import Testing

@testable import SoundTrigger

/// What `explain` says of a change.
struct VerdictTests {
  /// Programs rely on these words.
  static let words: [(Verdict, String)] = [
    (.starting, "starting"), (.played, "played"), (.muted, "muted"), (.appeared, "appeared"),
    (.asBefore, "as_before"), (.waiting(for: .milliseconds(800)), "waiting"), (.superseded, "superseded"),
    (.returned, "returned"), (.delayed(for: .seconds(5)), "delayed"), (.alreadyDelayed, "already_delayed"),
    (.calledOff, "called_off"), (.cancelled, "cancelled"), (.notANumber, "not_a_number"),
    (.notIncreased, "not_increased"), (.notDecreased, "not_decreased"), (.notFrom, "not_from"), (.notTo, "not_to"),
    (.notMatching, "not_matching"), (.overBudget, "over_budget"), (.tooCostlyToMatch, "too_costly_to_match"),
    (.tooLongToMatch, "too_long_to_match"), (.notStale, "not_stale"), (.outside, "outside"), (.notArmed, "not_armed"),
    (.noSound, "no_sound"), (.throttled(for: .milliseconds(28_430)), "throttled"), (.stillSounding, "still_sounding"),
    (.queued(position: 3), "queued"), (.queueFull, "queue_full"), (.alreadyLooping, "already_looping"),
    (.profile(.quiet), "profile"), (.late(by: .seconds(7500)), "late"), (.noDevice, "no_device"), (.broken, "broken"),
    (.crowded, "crowded"), (.ending, "ending"),
  ]

  @Test(arguments: words)
  func `a verdict has a word for programs`(verdict: Verdict, word: String) {
    #expect(verdict.word.rawValue == word)
  }

  @Test func `a verdict has a sentence for people, with its time in their units`() {
    #expect(
      Verdict.throttled(for: .milliseconds(28_430)).description
        == "too soon after the last play: the next could come 28.4 s later (throttle)")
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
