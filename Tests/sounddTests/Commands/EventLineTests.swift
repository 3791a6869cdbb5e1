import SoundTrigger
import Testing

@testable import soundd

/// `events --pretty`: what people read.
@Suite struct EventLineTests {
  private func line(_ event: String, inColour: Bool = false) -> String {
    // So late that the events are of another day.
    EventLine.text(Array(event.utf8), inColour: inColour, now: Timestamp(seconds: 100 * 86_400))
  }

  /// The start of the epoch by the machine's time zone, which the test does not choose.
  private var time: String {
    Timestamp(seconds: 0).localTime(at: Timestamp(seconds: 100 * 86_400), toMillisecond: true)
  }
  private static let at = #""at":"1970-01-01T00:00:00.000000Z""#

  @Test(arguments: [
    (#"{"event":"change",AT,"name":"build","old":"passed","new":"failed"}"#, "build: passed → failed"),
    (#"{"event":"change",AT,"name":"build","old":null,"new":"two words"}"#, "build: - → 'two words'"),
    (#"{"event":"change",AT,"name":"bell","old":"ring","new":"ring"}"#, "bell: ring"),
    (
      #"{"event":"play",AT,"id":1,"trigger":"build","sound":"error","verdict":"played"}"#, "build: error plays"
    ),
    (
      #"{"event":"play",AT,"id":1,"trigger":null,"sound":"tick","verdict":"muted"}"#,
      "by hand: tick plays unheard (muted)"
    ),
    (
      #"{"event":"play",AT,"id":1,"trigger":"t","sound":"tick","verdict":"no_device"}"#,
      "t: tick does not play (no_device)"
    ),
    (#"{"event":"stop",AT,"id":1,"trigger":"t","sound":"tick","reason":"ended"}"#, "t: tick is over (ended)"),
    (
      #"{"event":"stop",AT,"id":1,"trigger":"t","sound":"tick","reason":"stopped","by":"cancel","value":"seen"}"#,
      "t: tick is over (stopped: cancel seen)"
    ),
    (
      #"{"event":"stop",AT,"id":1,"trigger":"t","sound":"tick","reason":"stopped","by":"limit","value":null}"#,
      "t: tick is over (stopped: limit)"
    ),
    (
      #"{"event":"settings",AT,"volume":0.5,"muted":true,"muted_until":null,"profile":"quiet","device":"missing"}"#,
      "volume -6.02 dB, muted, profile quiet, the device is missing"
    ),
  ])
  func `what happens is a line with its time`(event: String, text: String) {
    let shown = line(event.replacing("AT", with: Self.at))
    #expect(shown == "\(time)  \(text)")
    #expect(shown.hasPrefix("19"))
  }

  @Test(arguments: [
    (#"{"event":"value","name":"build","value":"passed"}"#, "build = passed"),
    (#"{"event":"value","name":"build","value":null}"#, "build = (none yet)"),
    (
      #"{"event":"trigger","name":"t","state":"broken","problem":"no sound","volume":1,"muted":false}"#,
      "trigger t: broken: no sound"
    ),
    (#"{"event":"ready"}"#, "-- this is the state; what follows happens now --"),
    // A later daemon may have others.
    (#"{"event":"new"}"#, #"{"event":"new"}"#), ("no JSON\u{1B}[2J", "no JSON\\u{1b}[2J"),
  ])
  func `the state needs no time, and what is unknown is shown as it is`(event: String, text: String) {
    #expect(line(event) == text)
  }

  @Test(arguments: [
    (#"{"event":"play","id":1,"sound":"s","verdict":"played"}"#, "32"),
    (#"{"event":"play","id":1,"sound":"s","verdict":"muted"}"#, "33"),
    (#"{"event":"play","id":1,"sound":"s","verdict":"crowded"}"#, "31"),
    (#"{"event":"stop","id":1,"sound":"s","reason":"ended"}"#, "2"),
  ])
  func `a terminal gets colours`(event: String, code: String) {
    #expect(line(event, inColour: true) == "\u{1B}[\(code)m\(line(event))\u{1B}[0m")
  }
}
