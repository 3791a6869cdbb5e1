import Testing

/// The examples whose values other programs measure and send.
struct ThresholdExamplesTests {
  private let home = Result { try Home() }

  @Test func `smoke alarms after its delay, reminds after a minute, and ends when somebody takes notice`() throws {
    let plays = try home.get().render(
      example: "alarm.toml",
      """
      0 {"smoke":20,"front-door":"closed","back-door":"closed"}
      1 smoke=80
      3 smoke=30
      10 smoke=60
      90 acknowledged=1
      100 smoke=45
      101 smoke=70
      110 smoke=40
      120 front-door=open
      120.01 back-door=ajar
      125 back-door=locked
      """)
    // 80 was over in time. 45 does not arm it again, 40 does. The second door waits for the first one's sound of 80 ms.
    #expect(
      plays == [
        "15 smoke plays alarm", "70 reminder plays warning", "90 smoke stops", "120 doors plays press",
        "120.08 doors plays release",
      ])
  }

  @Test func `an alarm sounds in the daemon until it is acknowledged`() throws {
    let home = try home.get()
    let daemon = try home.daemon(example: "alarm.toml", replacing: ["delay      = \"5 s\"": "delay      = \"50 ms\""])
    #expect(try home.run("set", "smoke=20").wait() == .exit(0))
    #expect(try home.run("set", "smoke=80").wait() == .exit(0))
    try eventually("it sounds") { try home.trigger("smoke")["state"] as? String == "looping" }
    #expect(try home.run("set", "acknowledged=1").wait() == .exit(0))
    try eventually("it has faded out") { try home.trigger("smoke")["state"] as? String == "ok" }
    withExtendedLifetime(daemon) {}
  }

  @Test func `temperatures sound at their lines, and not again before they were back`() throws {
    let plays = try home.get().render(
      example: "temperature.toml",
      """
      0 {"temperature":71.5,"room":21}
      1 temperature=93
      2 temperature=88
      3 temperature=92
      4 temperature=85
      5 temperature=95
      70 temperature=80
      71 temperature=91
      80 room=27
      81 room=25
      90 room=17.5
      93 room=18.2
      94 room=17
      """)
    // 95 comes within the minute of the throttle; 27 is over before the delay ends; 18.2 is not 18.5.
    #expect(plays == ["1 hot plays alarm", "71 hot plays alarm", "92 uncomfortable plays warning"])
  }

  @Test func `progress sounds higher and higher, and its end by itself`() throws {
    let plays = try home.get().render(
      example: "progress.toml", "0 progress=0\n1 progress=25\n1.05 progress=26\n2 progress=100\n")
    #expect(
      plays == [
        "1 progress plays tone:440 Hz 40 ms", "2 progress plays tone:440 Hz 40 ms",
        "2 progress-done plays path-complete",
      ])
  }

  @Test func `a step up is two notes up, and a step down two notes down`() throws {
    let plays = try home.get().render(example: "steps.toml", "0 steps=1\n1 steps=2\n2 steps=1\n")
    let (low, high) = ("tone:440 Hz 70 ms", "tone:660 Hz 70 ms")
    #expect(
      plays == [
        "1 step-up plays \(low)", "1.09 step-up-second plays \(high)", "2 step-down plays \(high)",
        "2.09 step-down-second plays \(low)",
      ])
  }
}
