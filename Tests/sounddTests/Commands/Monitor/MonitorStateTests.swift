import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// What the monitor knows, asks for and shows, by what the daemon says and which keys are pressed.
struct MonitorStateTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let first = "2027-01-15T08:00:01.000001Z"
  private static let second = "2027-01-15T08:00:02.000002Z"

  /// What becomes of a line of the daemon.
  private static func state(unicode: Bool = true, _ alarms: String...) -> MonitorState {
    var state = MonitorState(isUnicode: unicode)
    state.connected()
    _ = state.takeRequests()
    _ = state.receive(Array("ok".utf8))
    _ = state.receive(Array(status(alarms).utf8))
    return state
  }

  private static func status(
    _ alarms: [String] = [], triggers: String = "", voices: Int = 0, muted: Bool = false
  ) -> String {
    """
    {"version":"0.2.0","alarms":[\(alarms.joined(separator: ","))],"warnings":[],"device":{"name":"default","state":"idle"},\
    "voices":\(voices),"xruns":3,"profile":"quiet","volume":0.5,"muted":\(muted),"latency":{"p99":5300},"triggers":[\(triggers)]}
    """
  }

  private static func alarm(
    _ name: String, id: Int = 7, life: String = "active", event: Bool = false
  ) -> String {
    """
    {\(event ? #""event":"alarm","# : "")"id":\(id),"name":"\(name)","state":"\(life)","life":"\(life)",\
    "since":"\(first)","until":null,"why":null,"value":"reactor","content":95,"importance":"critical",\
    "sentence":"\(life) since 08:00:01"}
    """
  }

  /// `id`: the number of the change.
  private static func verdict(
    _ trigger: String, _ word: String, id: Int = 1, at: String = first, new: String = "open"
  ) -> String {
    """
    {"event":"verdict","at":"\(at)","id":\(id),"trigger":"\(trigger)","value":"door","old":"shut","new":"\(new)","verdict":"\(word)",\
    "reason":"\(word)","sound":null,"decided_at":"\(at)","until":null}
    """
  }

  private static func screen(_ state: inout MonitorState, _ width: Int = 80, _ height: Int = 24) -> [String] {
    state.picture(width: width, height: height, now: now).map(\.text)
  }

  // MARK: What it asks for

  @Test func `a connection begins with events and the status`() {
    var state = MonitorState(isUnicode: true)
    state.connected()
    #expect(state.takeRequests() == ["events --state --why", "status"])
    #expect(state.takeRequests() == [])
  }

  @Test func `the last verdicts of triggers that saw changes are asked for once`() {
    var state = Self.state()
    #expect(state.takeRequests() == [])
    state.lost("gone")
    state.connected()
    _ = state.takeRequests()
    _ = state.receive(Array("ok".utf8))
    func trigger(_ name: String, _ time: String?) -> String {
      let change = time.map { #"{"id":1,"at":"\#($0)","value":"v","verdict":"played","reason":"played"}"# } ?? "null"
      return #"{"name":"\#(name)","state":"ok","volume":1,"muted":false,"last_change":\#(change)}"#
    }
    let triggers = [trigger("a", Self.first), trigger("b", Self.second), trigger("c", nil)]
    _ = state.receive(Array(Self.status(triggers: triggers.joined(separator: ",")).utf8))
    #expect(state.takeRequests() == ["explain b", "explain a"])
  }

  @Test func `an acknowledgement names the alarm that is shown, with its number`() {
    var state = Self.state(Self.alarm("reactor hot"))
    _ = Self.screen(&state)
    state.press(.character("a"))
    #expect(state.takeRequests() == ["ack id=7 reactor hot"])
  }

  @Test func `what happens between the picture and the key is not acknowledged`() {
    var state = Self.state(Self.alarm("reactor"))
    _ = Self.screen(&state)
    _ = state.receive(Array(Self.alarm("reactor", id: 8, event: true).utf8))
    state.press(.character("a"))
    #expect(state.takeRequests() == ["ack id=7 reactor"])
    _ = state.receive(Array("ok".utf8))
    #expect(Self.screen(&state).last == "not acknowledged: reactor is now active")
  }

  @Test func `another alarm never slips under the key`() {
    var state = Self.state(Self.alarm("a"), Self.alarm("b"))
    _ = Self.screen(&state)
    _ = state.receive(Array(Self.alarm("a", life: "normal", event: true).utf8))
    _ = Self.screen(&state)
    state.press(.character("a"))
    state.press(.character("s"))
    #expect(state.takeRequests() == [])
    #expect(Self.screen(&state).last == "no alarm is selected: use the arrow keys")
    state.press(.down)
    _ = Self.screen(&state)
    state.press(.character("s"))
    #expect(state.takeRequests() == ["snooze for=10min b"])
  }

  @Test func `an alarm that is hidden by a page is not acknowledged`() {
    var state = Self.state(Self.alarm("a"))
    _ = Self.screen(&state, 20, 5)
    state.press(.character("a"))
    #expect(state.takeRequests() == [])
  }

  @Test(arguments: [("m", "mute toggle"), ("+", "volume up"), ("-", "volume down")])
  func `keys change what is heard, and the status says what became of it`(key: Character, request: String) {
    var state = Self.state()
    state.press(.character(key))
    #expect(state.takeRequests() == [request, "status"])
    _ = state.receive(Array("ok".utf8))
    _ = state.receive(Array(Self.status(muted: true).utf8))
    #expect(Self.screen(&state).last == "volume -6.02 dB, muted")
  }

  @Test func `a refusal is shown, and the next key removes it`() {
    var state = Self.state(Self.alarm("a"))
    _ = Self.screen(&state)
    state.press(.character("s"))
    _ = state.receive(Array("error: line 9: there is no trigger 'a' [unknown]".utf8))
    #expect(Self.screen(&state).last == "there is no trigger 'a'")
    state.press(.down)
    #expect(Self.screen(&state).last?.hasPrefix("q quit") == true)
  }

  @Test func `a name with a line break is never sent`() {
    var state = Self.state(Self.alarm(#"a\nstop"#))
    _ = Self.screen(&state)
    for key in [MonitorKey.character("a"), .character("s"), .enter] { state.press(key) }
    #expect(state.takeRequests() == [])
  }

  @Test func `events of changes alone ask for nothing`() {
    var state = Self.state()
    let isNews = state.receive(Array(#"{"event":"change","at":"\#(Self.first)","name":"a","old":1,"new":2}"#.utf8))
    #expect(!isNews && !state.isOutdated)
    _ = state.receive(Array(Self.verdict("a", "played").utf8))
    #expect(state.isOutdated)
    state.refresh()
    #expect(state.takeRequests() == ["status"] && !state.isOutdated)
    // As long as the reply is missing, there is no other one.
    state.refresh()
    #expect(state.takeRequests() == [])
  }

  @Test func `changed settings are asked for at once`() {
    var state = Self.state()
    _ = state.receive(
      Array(#"{"event":"settings","at":"\#(Self.first)","volume":1,"muted":true,"profile":"full"}"#.utf8))
    #expect(state.takeRequests() == ["status"])
  }

  // MARK: What it shows

  @Test func `the parts stand below one another, and the health last`() {
    var state = Self.state(Self.alarm("reactor hot"))
    _ = state.receive(Array(#"{"event":"play","id":1,"trigger":"door","sound":"press","verdict":"played"}"#.utf8))
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    let lines = Self.screen(&state)
    #expect(lines.count == 24)
    #expect(
      lines.prefix(5) == [
        "ALARMS AND SOUNDS",
        "> reactor hot  active since 08:00:01, reactor = 95",
        "  door         sounds: press",
        "LAST VERDICTS",
        "  08:00:01  door  shut → open  played",
      ])
    #expect(lines[22] == "default idle  -6.02 dB  not muted  profile quiet  xruns 3  p99 5.3 ms")
    #expect(lines[23] == "q quit  ? help  Enter explain  a acknowledge  s snooze")
  }

  @Test func `a later verdict on a change replaces the earlier one`() {
    var state = Self.state()
    _ = state.receive(Array(Self.verdict("door", "starting").utf8))
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    _ = state.receive(Array(Self.verdict("door", "not_to", id: 2, at: Self.second).utf8))
    #expect(
      Self.screen(&state)[2...5] == [
        "LAST VERDICTS", "  08:00:02  door  shut → open  not_to", "  08:00:01  door  shut → open  played", "",
      ])
  }

  @Test func `what sounds is a row until it stops`() {
    var state = Self.state()
    let play = #"{"event":"play","id":1,"trigger":null,"sound":"ding","verdict":"played"}"#
    let refused = #"{"event":"play","id":2,"trigger":"x","sound":"dong","verdict":"crowded"}"#
    for line in [play, refused] { _ = state.receive(Array(line.utf8)) }
    #expect(Self.screen(&state)[1...2] == ["  by hand  sounds: ding", "LAST VERDICTS"])
    _ = state.receive(Array(#"{"event":"stop","id":1,"trigger":null,"sound":"ding","reason":"ended"}"#.utf8))
    #expect(Self.screen(&state)[1] == "  none")
  }

  @Test func `the status corrects what sounds`() {
    var state = Self.state()
    _ = state.receive(Array(#"{"event":"play","id":1,"trigger":"gone","sound":"ding","verdict":"played"}"#.utf8))
    state.refresh()
    let triggers = #"{"name":"door","state":"looping","sound":"alarm","volume":1,"muted":false}"#
    _ = state.receive(Array(Self.status(triggers: triggers, voices: 1).utf8))
    #expect(Self.screen(&state)[1...2] == ["  door  sounds: alarm", "LAST VERDICTS"])
  }

  @Test func `without a connection everything is unknown`() {
    var state = Self.state(Self.alarm("reactor"))
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    state.press(.character(" "))
    state.lost("trying again each second: gone")
    let lines = Self.screen(&state)
    #expect(
      lines.prefix(4) == [
        "ALARMS AND SOUNDS", "  – trying again each second: gone", "LAST VERDICTS", "  none yet",
      ])
    #expect(lines[22] == "device –  volume –  mute –  profile –  xruns –  p99 –")
    state.press(.character("m"))
    #expect(state.takeRequests() == [])
    #expect(Self.screen(&state).last == "there is no connection to soundd")
  }

  @Test func `a pause keeps the picture, and its end shows what happened`() {
    var state = Self.state()
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    state.press(.character(" "))
    let before = Self.screen(&state)
    #expect(before[2] == "LAST VERDICTS (paused: Space continues)")
    let isNews = state.receive(Array(Self.verdict("door", "not_to", id: 2, at: Self.second).utf8))
    #expect(!isNews)
    #expect(Self.screen(&state) == before)
    state.press(.character(" "))
    #expect(Self.screen(&state)[3] == "  08:00:02  door  shut → open  not_to")
  }

  @Test(arguments: [(60, 12), (80, 24), (300, 100)])
  func `every picture fits`(width: Int, height: Int) {
    let many = (0..<150).map { Self.alarm("alarm number \($0) 漢字漢字漢字漢字漢字漢字") }
    var state = MonitorState(isUnicode: true)
    state.connected()
    _ = state.receive(Array("ok".utf8))
    _ = state.receive(Array(Self.status(many).utf8))
    for index in 0..<300 {
      _ = state.receive(
        Array(Self.verdict("t\(index)", "played", id: index, new: String(repeating: "漢", count: index)).utf8))
    }
    let keys: [MonitorKey] = [.down, .up, .character("?"), .escape] + Array(repeating: .down, count: 180)
    for key in keys {
      let lines = Self.screen(&state, width, height)
      #expect(lines.count <= height)
      for line in lines { #expect(TextWidth.of(line) <= width, "\(line)") }
      state.press(key)
      if state.page == nil, state.selection != nil {
        #expect(Self.screen(&state, width, height).count { $0.hasPrefix("> ") } == 1)
      }
    }
  }

  @Test func `what does not fit is counted`() {
    var state = MonitorState(isUnicode: true)
    state.connected()
    _ = state.receive(Array("ok".utf8))
    _ = state.receive(Array(Self.status((0..<20).map { Self.alarm("a\($0)") }).utf8))
    let lines = Self.screen(&state, 60, 12)
    #expect(lines[4] == "  a3  active since 08:00:01, reactor = 95")
    #expect(lines[5] == "  and 16 more: use the arrow keys")
    #expect(lines[6] == "LAST VERDICTS")
  }

  @Test(arguments: [(59, 24), (80, 11), (20, 5), (1, 1)])
  func `a smaller terminal gets a sentence`(width: Int, height: Int) {
    var state = Self.state(Self.alarm("a"))
    let lines = Self.screen(&state, width, height)
    #expect(lines.count <= height)
    if width > 15 {
      #expect(lines.joined(separator: " ") == "too small: soundd monitor needs 60 columns and 12 rows")
    }
  }

  @Test func `nothing from outside acts on the terminal`() {
    let evil = #"\u001b]0;x\u0007\u001b[2J\u202e\u009b"#
    var state = Self.state(Self.alarm(evil))
    _ = state.receive(Array(Self.verdict(evil, evil, new: evil).utf8))
    _ = state.receive(
      Array(#"{"event":"play","id":1,"trigger":"\#(evil)","sound":"\#(evil)","verdict":"played"}"#.utf8))
    _ = state.receive(Array(#"{"event":"play","id":1,"trigger":null,"sound":"\#(evil)","verdict":"played"}"#.utf8))
    func check() {
      for line in Self.screen(&state) {
        #expect(
          line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && !(0x80..<0xA0).contains($0.value) })
        #expect(!line.contains("\u{202E}"))
      }
    }
    check()
    state.press(.enter)
    _ = state.receive(Array(#"{"name":"\#(evil)","value":"\#(evil)","verdicts":[],"stopped":null}"#.utf8))
    check()
    state.press(.escape)
    state.press(.character("s"))
    _ = state.receive(Array("error: \u{1B}[2J [refused]".utf8))
    check()
    _ = state.receive(Array(Self.alarm(evil, life: evil, event: true).utf8))
    check()
    state.press(.character("a"))
    _ = state.receive(Array("ok".utf8))
    #expect(Self.screen(&state).last?.hasPrefix("not acknowledged: ") == true)
    check()
  }

  @Test func `without Unicode there is only ASCII, as wide as before`() {
    var state = Self.state(unicode: false, Self.alarm("漢é"))
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    let lines = Self.screen(&state)
    #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    #expect(lines[1].hasPrefix("> ???  active"))
    #expect(lines[3] == "  08:00:01  door  shut > open  played")
    state.lost("gone")
    #expect(Self.screen(&state)[22] == "device -  volume -  mute -  profile -  xruns -  p99 -")
  }

  // MARK: Pages

  @Test func `an explanation shows its end, and scrolls`() {
    var state = Self.state()
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    state.press(.down)
    state.press(.enter)
    #expect(state.takeRequests() == ["explain door"])
    let changes = (10..<40).map {
      #"{"id":\#($0),"at":"2027-01-15T08:00:\#($0).000000Z","value":"door","old":1,"new":\#($0),"verdict":"played","reason":"played"}"#
    }
    _ = state.receive(
      Array(#"{"name":"door","value":"door","verdicts":[\#(changes.joined(separator: ","))],"stopped":null}"#.utf8))
    var lines = Self.screen(&state, 60, 12)
    #expect(lines.count == 12)
    #expect(lines[0] == "door")
    #expect(lines[10].hasPrefix("08:00:39.000  1 → 39"))
    state.press(.up)
    #expect(Self.screen(&state, 60, 12)[10].hasPrefix("08:00:38.000"))
    for _ in 0..<100 { state.press(.up) }
    lines = Self.screen(&state, 60, 12)
    #expect(lines[2].hasPrefix("TIME"))
    state.press(.down)
    #expect(Self.screen(&state, 60, 12)[2].hasPrefix("08:00:10.000"))
    state.press(.escape)
    #expect(Self.screen(&state, 60, 12)[0] == "ALARMS AND SOUNDS")
  }

  @Test func `an explanation that cannot be read is an error below the picture`() {
    var state = Self.state()
    _ = state.receive(Array(Self.verdict("door", "played").utf8))
    state.press(.down)
    state.press(.enter)
    _ = state.receive(Array(#"{"name":"door","value":"door","stopped":null}"#.utf8))
    let lines = Self.screen(&state, 100)
    #expect(lines[0] == "ALARMS AND SOUNDS")
    #expect(lines.last == "the daemon is older, its answer has no 'verdicts': systemctl --user restart soundd")
    state.press(.down)
    #expect(Self.screen(&state).last?.hasPrefix("q quit") == true)
  }

  @Test func `the help has each key, and any key leaves it`() {
    var state = Self.state()
    state.press(.character("?"))
    let lines = Self.screen(&state, 60, 12)
    for key in ["q", "?", "Up, Down", "Enter", "a", "s", "m", "+ -", "Space"] {
      #expect(lines.contains { $0.hasPrefix("  \(key) ") }, "\(key)")
    }
    state.press(.character("?"))
    #expect(Self.screen(&state)[0] == "ALARMS AND SOUNDS")
    state.press(.character("q"))
    #expect(state.isLeaving)
  }
}
