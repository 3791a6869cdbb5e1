import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// What a correct configuration means.
struct ConfigurationTests {
  private func read(_ text: String, file: String = "/etc/soundd/c.toml") throws -> Configuration {
    try ConfigurationText(file: file, bytes: Array(text.utf8)).configuration(.test)
  }

  private func name(_ text: String) throws -> ValueName { try #require(ValueName(text)) }

  private func text(_ text: String) -> Value { .text(Array(text.utf8)) }

  @Test func `an empty file has the defaults`() throws {
    var configuration = try read("# nothing\n")
    // It never plays, and says so.
    configuration.ownWarnings = []
    #expect(configuration == Configuration())
    #expect(configuration.output.device == "default")
    #expect(configuration.output.rate == nil)
    #expect(configuration.output.channels == 2)
    #expect(configuration.output.latency == .milliseconds(10))
    #expect(configuration.output.keepOpen == .automatic)
    #expect(configuration.limits.values == 65_536)
    #expect(configuration.limits.voices == 256)
    #expect(configuration.limits.soundSeconds == 300)
    #expect(configuration.quietHours == nil)
  }

  @Test func `settings are read`() throws {
    let configuration = try read(
      """
      output = { device = "hw:0", rate = 48_000, channels = 8, latency = "1.5 ms" }
      limits.values = 10
      limits.voices = 4096
      limits.sound_seconds = 60
      profile.quiet_hours = "22:00-07:30"
      """)
    #expect(
      configuration.output
        == OutputSettings(device: "hw:0", rate: 48_000, channels: 8, latency: .microseconds(1500)))
    #expect(configuration.limits == LimitSettings(values: 10, voices: 4096, soundSeconds: 60))
    #expect(configuration.quietHours?.spans.map(\.start) == [22 * 3600])
    #expect(configuration.quietHours?.spans.map(\.end) == [7 * 3600 + 30 * 60])
  }

  @Test func `a trigger is read with all its keys`() throws {
    let configuration = try read(
      """
      [value."rack/1.temp"]
      type = "number"
      trim = false
      file = "temp"
      poll = "2 min"

      [[trigger]]
      name = "hot"
      value = "rack/1.temp"
      sounds = { "1" = "a", 2e1 = "b", "*" = "sub/c.wav", 30 = "a" }
      when = "increase"
      from = "1e0"
      to = [2, 3.5, "4"]
      above = 1.5
      below = -100.5
      hysteresis = 0.5
      initial = true
      debounce = "250ms"
      throttle = "1 h"
      """)
    let value = try name("rack/1.temp")
    let poll = Duration.seconds(120)
    #expect(
      configuration.values == [
        ValueDeclaration(name: value, kind: .number, trim: false, source: .file(path: "/etc/soundd/temp", poll: poll))
      ])
    #expect(
      configuration.triggers.map(\.definition) == [
        TriggerDefinition(
          name: "hot", values: [value],
          sound: .table([.number(1): "a", .number(20): "b", .number(30): "a"], otherwise: "/etc/soundd/sub/c.wav"),
          when: .increase, from: [.number(1)], to: [.number(2), .number(3.5), .number(4)],
          threshold: Threshold(above: 1.5, below: -100.5, hysteresis: 0.5), initial: .yes,
          debounce: .milliseconds(250), throttle: .seconds(3600))
      ])
    #expect(
      configuration.triggers.first?.soundLocations == [
        "a": TOMLLocation(line: 10, column: 18), "b": TOMLLocation(line: 10, column: 29),
        "/etc/soundd/sub/c.wav": TOMLLocation(line: 10, column: 40),
      ])
  }

  @Test(arguments: [
    ("text", #"" 1 ""#, Value.text(Array(" 1 ".utf8))), ("event", "'a'", .text(Array("a".utf8))),
    ("number", "1", .number(1)), ("number", "'-1.50'", .number(-1.5)), ("number", "0x10", .number(16)),
    ("bool", "true", .bool(true)), ("bool", "'yes'", .bool(true)), ("bool", "'on'", .bool(true)),
    ("bool", "'1'", .bool(true)), ("bool", "false", .bool(false)), ("bool", "'no'", .bool(false)),
    ("bool", "'off'", .bool(false)), ("bool", "'0'", .bool(false)),
    ("json", #"' { "b": [1, true, null], "a": "x/y" } '"#, .json(Array(#"{"a":"x/y","b":[1,true,null]}"#.utf8))),
  ])
  func `contents have the value's type`(type: String, content: String, expected: Value) throws {
    let trigger = "[[trigger]]\nvalue='v'\nsound='x'\n"
    let configuration = try read(
      "value.v.type='\(type)'\n\(trigger)to=\(content)\n\(trigger)from=[\(content), \(content)]")
    #expect(configuration.triggers.map(\.definition.to) == [[expected], []])
    #expect(configuration.triggers.map(\.definition.from) == [[], [expected, expected]])
  }

  @Test func `two values may be fed by one file`() throws {
    let configuration = try read("[value.a]\nfile='x'\n[value.b]\nfile='x'\ntype='event'")
    let source = ValueDeclaration.Source.file(path: "/etc/soundd/x", poll: nil)
    #expect(configuration.values.map(\.source) == [source, source])
  }

  @Test func `a trigger on a value that nobody declared is one on text`() throws {
    let configuration = try read("[[trigger]]\nvalue='v'\nsounds={ 1='x' }")
    #expect(configuration.triggers.map(\.definition.sound) == [.table([text("1"): "x"], otherwise: nil)])
  }

  @Test(arguments: [
    ("/proc/loadavg", nil, Duration.seconds(1)), ("/sys/x", "5 s", .seconds(5)), ("/system/x", nil, nil),
    ("//sys/./x", nil, .seconds(1)), ("/tmp/x", "1ms", .milliseconds(1)),
  ])
  func `files of which inotify does not tell are polled`(file: String, poll: String?, expected: Duration?) throws {
    let configuration = try read("[value.v]\nfile='\(file)'\n" + (poll.map { "poll='\($0)'" } ?? ""))
    guard case .file(_, let interval, .content) = configuration.values.first?.source else {
      Issue.record("no file")
      return
    }
    #expect(interval == expected)
  }

  @Test(
    arguments: [
      ("lines='log'", ValueKind.text, "/etc/soundd/log", nil, FileAspect.lines),
      ("lines='/proc/kmsg'", .text, "/proc/kmsg", .seconds(1), .lines),
      ("lines='log'\npoll='5 s'\ntype='event'", .event, "/etc/soundd/log", .seconds(5), .lines),
      ("count='~/Maildir/new/'", .number, "/home/ann/Maildir/new", nil, .count),
      ("count='.'", .number, "/etc/soundd", nil, .count), ("count='/'", .number, "/", nil, .count),
      ("count='/proc/self/fd'\ntype='event'", .event, "/proc/self/fd", .seconds(1), .count),
      ("exists='lock'", .bool, "/etc/soundd/lock", nil, .exists),
      ("exists='/mnt/usb/'\npoll='2 s'\ntype='text'", .text, "/mnt/usb", .seconds(2), .exists),
      ("exists='/sys/x'", .bool, "/sys/x", .seconds(1), .exists),
      ("fifo='p'", .text, "/etc/soundd/p", nil, .fifo), ("fifo='/proc/p'\ntype='json'", .json, "/proc/p", nil, .fifo),
      ("count='d'\nmatch='.$'\ntype='bool'", .bool, "/etc/soundd/d", nil, .count),
    ] as [(String, ValueKind, String, Duration?, FileAspect)])
  func `what is told of a path has its type`(
    keys: String, kind: ValueKind, path: String, poll: Duration?, aspect: FileAspect
  ) throws {
    let value = try #require(try read("[value.v]\n" + keys).values.first)
    #expect(value.kind == kind)
    #expect(value.source == .file(path: path, poll: poll, aspect: aspect))
  }

  @Test func `a number that is counted and an answer need no type for a condition`() throws {
    let configuration = try read(
      "[value.n]\ncount='d'\n[value.x]\nexists='y'\n[value.any]\nof='n'\nabove=0\n"
        + "[[trigger]]\nvalue='n'\nwhen='increase'\nabove=3\nsound='x'\n[[trigger]]\nvalue='x'\nto=true\nsound='x'")
    #expect(configuration.triggers.map(\.definition.to) == [[], [.bool(true)]])
    #expect(configuration.values.map(\.kind) == [.number, .bool, .bool])
  }

  @Test func `unnamed triggers are named after their value, around the names that are given`() throws {
    let triggers = [("v", nil), ("v", nil), ("w", "v-2"), ("v", nil), ("v", "w"), ("w", nil), ("v-3", nil)]
    let configuration = try read(
      triggers.map { value, name in
        "[[trigger]]\nvalue='\(value)'\nsound='x'\n" + (name.map { "name='\($0)'\n" } ?? "")
      }.joined())
    #expect(configuration.triggers.map(\.definition.name) == ["v", "v-3", "v-2", "v-4", "w", "w-2", "v-3-2"])
  }

  @Test func `the same text means the same, wherever its keys stand`() throws {
    let one = try read("[value.v]\ntype='bool'\n[[trigger]]\nvalue='v'\nsound='x'\nto=true")
    let other = try read("[[trigger]]\nvalue='v'\nsound='x'\nto='on'\n[value.v]\ntrim=true\ntype='bool'")
    #expect(one.values == other.values)
    #expect(one.triggers.map(\.definition) == other.triggers.map(\.definition))
  }

  @Test(.timeLimit(.minutes(timeFactor))) func `thousands of triggers are read in a moment`() throws {
    let count = isQuick ? 5_000 : 20_000
    let configuration = try read(String(repeating: "[[trigger]]\nvalue='v'\nsound='x'\n", count: count))
    #expect(Set(configuration.triggers.map(\.definition.name)).count == count)
  }

  @Test func `damaged configurations are read or refused`() throws {
    let valid = Array(
      """
      output = { device = "default", rate = 48000, channels = 2, latency = "10 ms" }
      limits = { values = 100, voices = 16, sound_seconds = 1 }
      [value.a]
      file = "~/$XDG_CACHE_HOME/a.${HOME}"
      poll = "1.5 s"
      type = "number"
      [value.b]
      type = "json"
      trim = false
      [[trigger]]
      value = "a"
      above = 3
      below = 1.5
      hysteresis = 0.5
      sounds = { "1" = "x", "2.0" = "~/y.wav", "*" = "z" }
      [[trigger]]
      value = "b"
      name = "n"
      from = ["{}", "[1]"]
      to = "null"
      sound = "x"
      when = "change"
      debounce = "250 ms"
      throttle = "1 h"
      initial = true
      """.utf8)
    func errors(_ bytes: [UInt8]) -> [ConfigurationMessage] {
      ConfigurationDraft(bytes, file: "c.toml", environment: .test).errors
    }
    #expect(errors(valid) == [])
    var mutations = RandomMutations(seed: 2)
    var (readable, wrong) = (0, 0)
    let count = isQuick ? 1000 : 5000
    for _ in 0..<count {
      let errors = errors(mutations.mutate(valid, edits: 2))
      #expect(errors.map(\.location) == errors.map(\.location).sorted())
      if errors.isEmpty { readable += 1 } else if errors.contains(where: { $0.key != nil }) { wrong += 1 }
    }
    // Damage of all sorts was reached: harmless, to the meaning, and (the rest) to the syntax.
    #expect(readable > count / 50 && wrong > count / 10 && readable + wrong < count / 10 * 9)
  }
}
