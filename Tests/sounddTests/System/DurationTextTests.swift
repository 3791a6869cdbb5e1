import SoundTrigger
import SoundWire
import Testing

@testable import soundd

struct DurationTextTests {
  @Test(arguments: [
    ("250 ms", Duration.milliseconds(250)), ("250ms", .milliseconds(250)), ("2 s", .seconds(2)),
    ("5 min", .seconds(300)), ("1 h", .seconds(3600)), ("1.5 s", .milliseconds(1500)), ("0.1ms", .microseconds(100)),
    ("0 s", .zero), ("007  s", .seconds(7)), ("0.000000001 s", .nanoseconds(1)), ("0.0000000019 s", .nanoseconds(1)),
    ("0.25 h", .seconds(900)), ("8760 h", .seconds(31_536_000)), ("31536000 s", .seconds(31_536_000)),
    ("1 day", .seconds(86_400)), ("1.5days", .seconds(129_600)), ("365 days", .seconds(31_536_000)),
    ("0.1000000000000000000000000000000000000000000000001 s", .milliseconds(100)),
  ])
  func `a duration is read`(text: String, duration: Duration) {
    #expect(DurationText.duration(text) == duration)
  }

  @Test(arguments: [
    "", " ", "s", "1", "1 us", "1 S", "1 sec", "-1 s", "+1 s", " 1 s", "1 s ", ".5 s", "1. s", "1,5 s", "1e3 s",
    "1 s 1",
    "1 s 500 ms", "1\ts", "١ s", "1\u{301} s", "inf s", "nan s", "0x1 s", "8760.0000001 h", "8761 h",
    "999999999999 h", "99999999999999999999999999999999999999999999999999 ms", "1\u{0} s",
  ])
  func `anything else is none`(text: String) {
    #expect(DurationText.duration(text) == nil)
  }

  @Test(arguments: [
    (Duration.zero, "0 ms"), (.milliseconds(10), "10 ms"), (.milliseconds(1500), "1500 ms"), (.seconds(2), "2 s"),
    (.seconds(90), "90 s"), (.seconds(120), "2 min"), (.seconds(7200), "2 h"), (.microseconds(1500), "1.5 ms"),
  ])
  func `a duration is written in the largest unit that fits`(duration: Duration, text: String) {
    #expect(DurationText.text(duration) == text)
    #expect(DurationText.duration(text) == duration)
  }

  @Test(arguments: [
    ("1m", "1 min"), ("5 mins", "5 min"), ("30sec", "30 s"), ("2 Hours", "2 h"), ("250 MS", "250 ms"),
    ("1.5 minutes", "1.5 min"), ("1 s", nil), ("m", nil), ("2d", "2 days"), ("1", "1 s"), ("1.5", "1.5 s"), ("1.", nil),
    ("", nil), ("9000 hours", nil),
    ("1h30m", "90 min"), ("1 h 30 min", "90 min"), ("1m 30s", "90 s"), ("1 s 500 ms", "1500 ms"), ("1h30", nil),
    ("8760 h 1 s", nil), ("1h,30m", nil), ("1h30x", nil), ("h m", nil),
    (String(repeating: "1m ", count: 20_000), nil),
  ])
  func `another word for a unit is understood, and the right one suggested`(text: String, suggestion: String?) {
    #expect(DurationText.suggestion(for: text) == suggestion)
  }
}
