import Foundation
import TestSupport
import Testing

/// What is taken out of contents, derived from values and expected of them, in the running daemon and in `render`.
struct DerivedValueTests {
  private static let configuration = """
    [value.weather]
    file = "~/weather.json"
    expect_every = "1 h"
    [value.frost]
    of = "weather"
    json = "/main/temp"
    below = 0
    [[trigger]]
    value = "frost"
    to = true
    sound = "tick"
    [value.heartbeat]
    expect_every = "5 ms"
    [[trigger]]
    value = "heartbeat"
    when = "stale"
    sound = "tick"
    """

  @Test func `a number deep in a file is heard when it crosses a line`() throws {
    let home = try Home()
    try home.write("weather.json", #"{"main":{"temp":3.5}}"#)
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    try eventually("the file is read") { try home.value("frost")["value"] as? Bool == false }
    try home.replace("weather.json", #"{"main":{"temp":-0.5},"at":"noon"}"#)
    try eventually("it is played") { try home.played("frost") == 1 }
    let frost = try home.value("frost")
    #expect(frost["source"] as? String == "of weather")
    #expect(frost["type"] as? String == "bool")
    #expect(!frost.keys.contains("stale"))
    #expect(try home.value("weather")["stale"] as? Bool == false)
    let refused = try home.run("set", "frost=false")
    #expect(try refused.wait() == .exit(77))
    #expect(refused.errors == "soundd: 'frost' is derived from 'weather'; set that instead\n")
    try home.replace("weather.json", #"{"main":{}}"#)
    try eventually("what is not there is no frost") { try home.value("frost")["value"] as? Bool == false }
    #expect(!daemon.errors.contains("frost"))
  }

  @Test func `a value that nobody reports any more is stale, and heard`() throws {
    let home = try Home()
    try home.write("weather.json", "{}")
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.run("set", "heartbeat=1").wait() == .exit(0))
    try eventually("it is stale") { try home.value("heartbeat")["stale"] as? Bool == true }
    #expect(try home.played("heartbeat") ?? 0 > 0)
    try eventually("the list says so") {
      try home.run("list").text.split(separator: "\n").contains("heartbeat=1  (stale)")
    }
    withExtendedLifetime(daemon) {}
  }

  @Test func `what appears because of a reload plays for the new triggers`() throws {
    let home = try Home()
    let first = "[[trigger]]\nvalue = \"page\"\nsound = \"tick\"\n"
    let daemon = try home.daemon(first, "--device", "none")
    #expect(try home.run("set", "page=level 5").wait() == .exit(0))
    try home.write(
      "config/soundd/config.toml",
      first + """
        [value.level]
        of = "page"
        match = '\\d+'
        [[trigger]]
        value = "level"
        initial = true
        overlap = "queue"
        sound = "success"
        """)
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.played("level") == 1)
    // The end of that sound is the new trigger's.
    #expect(try home.run("set", "page=level 6").wait() == .exit(0))
    try eventually("its turn has come") { try home.played("level") == 2 }
    withExtendedLifetime(daemon) {}
  }

  @Test func `the time that the sounds take to load is nobody's silence`() throws {
    let home = try Home()
    // At another rate than the device's, so that it takes its time.
    try home.write(
      "config/soundd/slow.wav",
      WAVBuilder.int16(Array(repeating: 5, count: 2 * 44_100 * 100), channels: 2, rate: 44_100))
    try home.write("level", "1")
    let start = Date()
    let daemon = try home.daemon(
      "[value.level]\nfile = \"~/level\"\n[[trigger]]\nvalue = \"level\"\nsound = \"./slow.wav\"\n",
      "--device", "none")
    let ready = Date()
    let text = try #require(try home.value("level")["changed_at"] as? String)
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let read = try #require(formatter.date(from: text))
    #expect(ready.timeIntervalSince(read) < ready.timeIntervalSince(start) / 2)
    withExtendedLifetime(daemon) {}
  }

  @Test func `in a rendering silence is heard at its exact time, and not after the last line`() throws {
    let home = try Home()
    try home.write(
      "config.toml",
      """
      [value.level]
      match = 'level=(\\d+)'
      type = "number"
      expect_every = "2 s"
      [value.high]
      of = "level"
      above = 10
      [[trigger]]
      value = "high"
      to = true
      sound = "success"
      [[trigger]]
      value = "level"
      when = "stale"
      sound = "error"
      """)
    let timeline = "0 level=level=1\n1 level=nothing\n3 level=at level=11 now\n4 other=x\n"
    let program = try home.run("render", "-", "-o", "out.wav", "--config", "config.toml", input: .text(timeline))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let heard = try Recording(decoding: home("out.wav"))
    var expected = Recording(silence: heard.frames)
    try expected.add(try Recording(shipped: "error"), at: 96_000)
    try expected.add(try Recording(shipped: "success"), at: 144_000)
    #expect(heard.difference(from: expected) == nil)
  }
}
