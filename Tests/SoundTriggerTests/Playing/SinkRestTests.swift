import SoundTrigger
import TestSupport
import Testing

@testable import SoundTrigger

/// What a sink hears that swallows the beginning of a sound after a pause. A frame lasts a millisecond.
struct SinkRestTests {
  private static let wake = Duration.milliseconds(300)
  private let click: Clip
  private let song: Clip

  init() throws {
    click = try Clip([Float](repeating: 0.1, count: 40), channels: 1, rate: 1000)
    song = try Clip([Float](repeating: 0.1, count: 2000), channels: 1, rate: 1000)
  }

  private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `a short sound after a pause of five seconds begins after a silence, and others do not`() {
    var rest = SinkRest()
    func pause(_ clip: Clip, at time: Int64, isAlarm: Bool = false) -> Duration? {
      rest.pause(before: clip, isAlarm: isAlarm, at: instant(time), wake: Self.wake)
    }
    #expect(pause(click, at: 0) == Self.wake)
    // While the sink wakes up, a further sound waits for the rest of the time.
    #expect(pause(click, at: 100) == .milliseconds(200))
    #expect(pause(click, at: 300) == nil)
    rest.note(isSilent: true, at: instant(400))
    #expect(pause(click, at: 5399) == nil)
    rest.note(isSilent: false, at: instant(5400))
    rest.note(isSilent: true, at: instant(5440))
    #expect(pause(click, at: 10_440) == Self.wake)
    rest.note(isSilent: true, at: instant(10_800))
    #expect(pause(song, at: 20_000) == nil)
    // The song wakes the sink up, so what comes soon after it has to wait for that, too.
    #expect(pause(click, at: 20_100) == .milliseconds(200))
    rest.note(isSilent: true, at: instant(23_000))
    #expect(pause(click, at: 40_000, isAlarm: true) == nil)
    #expect(rest.pauseCount == 4)
  }

  @Test func `a sink whose device is closed has slept, however short the pause was`() {
    var rest = SinkRest()
    _ = rest.pause(before: click, isAlarm: false, at: instant(0), wake: .zero)
    rest.note(isSilent: true, at: instant(50))
    rest.deviceClosed()
    #expect(rest.pause(before: click, isAlarm: false, at: instant(100), wake: Self.wake) == Self.wake)
    rest.deviceClosed()
    #expect(rest.pause(before: click, isAlarm: false, at: instant(450), wake: Self.wake) == nil)
  }

  @Test func `a sink that hears at once needs no silence`() {
    var rest = SinkRest()
    #expect(rest.pause(before: click, isAlarm: false, at: instant(0), wake: .zero) == nil)
    #expect(rest.pauseCount == 0)
  }
}
