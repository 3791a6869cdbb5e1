import SoundTrigger
import SoundWire
import Testing

@testable import soundd

@Suite struct RequestTests {
  private func parse(_ line: String) -> Result<Request, RequestRefusal> { parse(Array(line.utf8)) }

  private func parse(_ line: [UInt8]) -> Result<Request, RequestRefusal> {
    do throws(RequestRefusal) { return .success(try Request(line.span)) } catch { return .failure(error) }
  }

  @Test(arguments: [
    ("get build", Request.get("build")), ("get  a/b.c:d-e \t", .get("a/b.c:d-e")), ("list", .list),
    (" status ", .status), ("explain my trigger", .explain("my trigger")), ("sync", .sync),
    (" report ", .report),
    ("play /tmp/a b.wav", .play("/tmp/a b.wav")), ("play x y=z", .play("x y=z")), ("stop", .stop(.sounds)),
    (" stop", .stop(.sounds)), ("stop --all", .stop(.everything)), ("stop alarm ", .stop(.trigger("alarm"))),
    ("profile quiet", .profile(.quiet, for: nil)),
    ("reload", .reload),
    ("profile silent 1 h", .profile(.silent, for: .seconds(3600))), ("alarms", .alarms(all: false)),
    ("alarms --all", .alarms(all: true)), ("alarms --test my alarm", .testAlarm("my alarm")),
    ("ack", .acknowledge(nil, nil)), ("ack my alarm", .acknowledge("my alarm", nil)),
    (
      "ack since=2026-01-31T08:15:00.250000Z a",
      .acknowledge("a", .since(Timestamp(seconds: 1_769_847_300, nanoseconds: 250_000_000)))
    ),
    ("ack id=17 my alarm", .acknowledge("my alarm", .id(17))), ("ack id=17", .acknowledge(nil, .id(17))),
    ("snooze", .snooze(nil, for: .seconds(600))), ("snooze for=2h my alarm", .snooze("my alarm", for: .seconds(7200))),
    ("snooze for=1day", .snooze(nil, for: .seconds(86_400))), ("unsnooze a b", .unsnooze("a b")),
    ("events", .events([], withState: false, withVerdicts: false)),
    ("events a\tb  c", .events(["a", "b", "c"], withState: false, withVerdicts: false)),
    ("events --why a", .events(["a"], withState: false, withVerdicts: true)),
    ("events --why --state", .events([], withState: true, withVerdicts: true)),
    ("events --state --why", .events([], withState: true, withVerdicts: true)),
    ("events --state", .events([], withState: true, withVerdicts: false)),
    ("events  --state b a", .events(["b", "a"], withState: true, withVerdicts: false)),
    ("", .blank), (" \t", .blank), ("# a=1", .blank), ("  #", .blank),
  ])
  func `commands are read`(line: String, request: Request) {
    #expect(parse(line) == .success(request))
  }

  @Test(arguments: [
    ("mute", Request.mute(.on, trigger: nil)), ("mute toggle", .mute(.toggle, trigger: nil)),
    ("mute 1 h", .mute(.during(.seconds(3600)), trigger: nil)),
    ("mute  90s \t", .mute(.during(.seconds(90)), trigger: nil)),
    ("mute trigger=too hot", .mute(.on, trigger: "too hot")),
    ("mute toggle trigger=t", .mute(.toggle, trigger: "t")), ("unmute", .unmute(trigger: nil)),
    ("unmute trigger=a trigger=b", .unmute(trigger: "a trigger=b")),
    ("volume -6 dB", .volume(.level(0.501_187_233_627_272_2), trigger: nil)),
    ("volume 0.5 trigger=too  hot ", .volume(.level(0.5), trigger: "too  hot")),
    ("volume up", .volume(.up(decibels: 3), trigger: nil)),
    ("volume down 1 dB", .volume(.down(decibels: 1), trigger: nil)),
    ("volume up  0.5dB trigger=t", .volume(.up(decibels: 0.5), trigger: "t")),
  ])
  func `mute and volume are about everything or a trigger`(line: String, request: Request) {
    #expect(parse(line) == .success(request))
  }

  @Test(arguments: [
    ("build=failed", 0..<5, 6..<12), ("a=", 0..<1, 2..<2), ("a==b=", 0..<1, 2..<5), ("list=1", 0..<4, 5..<6),
    ("  a= b ", 2..<3, 4..<7), ("0/x.y:z-=1", 0..<8, 9..<10), ("a=\u{0}\n", 0..<1, 2..<4),
  ])
  func `a valid name before the first equals sign makes an assignment`(
    line: String, name: Range<Int>, value: Range<Int>
  ) {
    #expect(parse(line) == .success(.assignment(name: name, value: value)))
  }

  @Test func `a value may be any bytes, a command must be UTF-8`() {
    #expect(parse(Array("a=".utf8) + [0xFF, 0x00, 0xC0]) == .success(.assignment(name: 0..<1, value: 2..<5)))
    #expect(parse(Array("play ".utf8) + [0xFF]) == .failure(.notUTF8))
    #expect(parse([0xFF]) == .failure(.notUTF8))
  }

  @Test func `a name has at most 255 bytes, as beneath the prefix of a feed`() {
    let longest = String(repeating: "n", count: 255)
    #expect(parse(longest + "=1") == .success(.assignment(name: 0..<255, value: 256..<257)))
    #expect(parse(longest + "n=1") == .failure(.nameTooLong))
    #expect(parse("get " + longest) == .success(.get(longest)))
    #expect(parse("get " + longest + "n") == .failure(.badName(longest + "n")))
  }

  @Test(arguments: [
    ("25h", ""), ("0", ""), ("0s", ""), ("-1", ""), ("10", " (did you mean 'for=10s'?)"),
    ("5m", " (did you mean 'for=5min'?)"),
  ])
  func `a time that cannot be snoozed for has a suggestion only if that would be taken`(time: String, hint: String) {
    let expected = "expected a time of more than 0 and at most 24 h without blanks, such as for=10min, found '\(time)'"
    #expect("\(RequestRefusal.badSnooze(time))" == expected + hint)
  }

  @Test func `a time after the name of an alarm is no part of the name`() {
    #expect(
      SnoozeTime.misplaced(in: "my alarm for=5s") == "'for=' comes before the name: snooze for=5s my alarm")
    #expect(SnoozeTime.misplaced(in: "my alarm") == nil)
  }

  @Test func `an object line is handed on from its brace`() {
    #expect(parse(#"{"a": 1}"#) == .success(.object(0..<8)))
    #expect(parse(#"  {"a"#) == .success(.object(2..<5)))
  }

  @Test(arguments: [
    ("get", RequestRefusal.missingArgument(command: "get", "NAME")),
    ("play  ", .missingArgument(command: "play", "SOUND")),
    ("explain", .missingArgument(command: "explain", "TRIGGER")),
    ("volume", .missingArgument(command: "volume", "LEVEL")),
    ("profile", .missingArgument(command: "profile", "NAME")), ("list all", .unexpectedArgument(command: "list")),
    ("report 7", .unexpectedArgument(command: "report")),
    ("get a b", .badName("a b")), ("events a -b", .badName("-b")),
    ("events a --state", .badName("--state")), ("events --states", .badName("--states")),
    ("ack ", .emptyTrigger(command: "ack")), ("snooze\t", .emptyTrigger(command: "snooze")),
    ("snooze for=25h", .badSnooze("25h")), ("snooze for=0s x", .badSnooze("0s")), ("snooze for=10 x", .badSnooze("10")),
    ("snooze for= x", .missingArgument(command: "snooze for=", "DURATION")),
    ("unsnooze", .missingArgument(command: "unsnooze", "TRIGGER")),
    ("alarms now", .unexpectedArgument(command: "alarms")),
    ("alarms --test", .missingArgument(command: "alarms --test", "TRIGGER")), ("profile quiet 5", .badTime("5")),
    ("ack id=0 a", .badOccurrence("0")), ("ack id=x a", .badOccurrence("x")),
    ("ack since=now a", .badOccurrence("now")),
    ("profile quite", .badProfile("quite")), ("unmute now", .unexpectedArgument(command: "unmute")),
    ("mute until", .badMute("until")), ("mute until 24:00", .badMute("until 24:00")),
    ("mute until 9:5", .badMute("until 9:5")), ("mute until 009:00", .badMute("until 009:00")),
    ("mute until 9", .badMute("until 9")), ("mute until 9:00:00", .badMute("until 9:00:00")),
    ("mute until -1:00", .badMute("until -1:00")), ("mute 0 s", .badMute("0 s")), ("mute on", .badMute("on")),
    ("volume trigger=x", .missingArgument(command: "volume", "LEVEL")), ("volume loud", .badLevel("loud")),
    ("volume +1 dB", .tooLoud("+1 dB")), ("volume 1.01", .tooLoud("1.01")), ("volume upp", .badLevel("upp")),
    ("volume up 3", .badStep("3")), ("volume up -1 dB", .badStep("-1 dB")), ("volume down 0 dB", .badStep("0 dB")),
    ("volume down 41 dB", .badStep("41 dB")), ("mute trigger=", .emptyTrigger(command: "mute")),
    ("stop ", .emptyTrigger(command: "stop")), (" stop \t ", .emptyTrigger(command: "stop")),
    ("LIST", .unknownCommand("LIST")),
    ("=1", .badName("")), ("a%2=1", .badName("a%2")), ("get a%zz", .badName("a%zz")), ("-a=1", .badName("-a")),
    ("a b=1", .badName("a b")), ("a =1", .badName("a ")),
    ("é=1", .badName("é")), ("hello world", .unknownCommand("hello")), ("\u{0}", .unknownCommand("\u{0}")),
  ])
  func `what is no request is refused with the reason`(line: String, error: RequestRefusal) {
    #expect(parse(line) == .failure(error))
  }

  @Test func `messages say what to do and quote only what can be shown`() {
    #expect(RequestRefusal.missingArgument(command: "get", "NAME").description == "'get' needs an argument: get NAME")
    #expect(RequestRefusal.badName("").description == "there is no name before '='")
    #expect(
      RequestRefusal.badMute("1h30").description
        == "expected toggle, a time such as \"30 min\" or \"1 day\", or \"until 10:00\", found '1h30'")
    #expect(
      RequestRefusal.badLevel("loud").description
        == "expected a level such as \"-6 dB\" or a factor of 0 to 1, or up or down, found 'loud'")
    #expect(RequestRefusal.tooLoud("1.5").description == "'1.5' is too loud: 0 dB, a factor of 1, is the most")
    let hostile = RequestRefusal.unknownCommand("\u{1B}[2J" + String(repeating: "x", count: 5000)).description
    #expect(!hostile.unicodeScalars.contains { $0.value < 0x20 })
    #expect(hostile.utf8.count < 300)
    #expect(RequestRefusal.lineTooLong.description.contains("65536"))
  }

  @Test(arguments: [
    ("mute 1 hour", "1 h"), ("mute 30m", "30 min"), ("mute togle", "toggle"), ("mute 5", "5 min"),
    ("mute 1h30m", "90 min"), ("mute 7:30", "until 7:30"), ("mute until", "until 10:00"), ("mute on", "mute"),
    ("mute off", "unmute"), ("volume 50%", "0.5"), ("volume 50", "0.5"),
    ("volume -6", "-6 dB"), ("volume +3", "up 3 dB"), ("volume +3 dB", "up 3 dB"), ("volume upp", "up"),
    ("volume up 2", "2 dB"), ("volume loud", nil), ("volume 101", nil), ("volume 1.5", nil),
    ("volume +50 dB", nil), ("volume up x", nil),
    ("mute 0", nil), ("mute for ever", nil),
  ])
  func `what is probably meant is named`(line: String, suggestion: String?) {
    guard case .failure(let error) = parse(line) else { return #expect(Bool(false), "\(line) is valid") }
    #expect(error.description.hasSuffix(suggestion.map { "(did you mean '\($0)'?)" } ?? "") == true)
    #expect(error.description.contains("did you mean") == (suggestion != nil), "\(error)")
  }

  @Test func `a reply is one line, whatever it quotes`() {
    var output: [UInt8] = []
    Reply.error("a\nb\rc", .noDevice).write(to: &output, line: 7)
    Reply.ok.write(to: &output, line: 8)
    Reply.silent.write(to: &output, line: 9)
    Reply.json(Array("{}".utf8)).write(to: &output, line: 10)
    #expect(String(decoding: output, as: UTF8.self) == "error: line 7: a b c [no_device]\nok\n{}\n")
  }
}
