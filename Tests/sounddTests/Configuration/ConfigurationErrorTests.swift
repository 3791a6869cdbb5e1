import Testing

@testable import soundd

/// The errors of a wrong configuration: the place, the key, the fault, and a near name.
struct ConfigurationErrorTests {
  typealias Case = ProblemCase

  private func errors(_ text: String) -> [String] {
    ConfigurationDraft(Array(text.utf8), file: "c.toml", environment: .test).errors.map(\.description)
  }

  private static let text = "[value.v]\n[[trigger]]\nvalue='v'\nsound='x'\n"
  private static let number = "[value.v]\ntype='number'\n[[trigger]]\nvalue='v'\nsound='x'\n"
  private static let bool = "[value.v]\ntype='bool'\n[[trigger]]\nvalue='v'\nsound='x'\n"
  private static let durations = #""250 ms", "2 s", "5 min" or "1 h""#
  private static let named = ": each value has a table with its name, such as [value.build]"
  private static let unsupported = "is not supported by this version of soundd"
  private static let nameRule =
    "1 to 128 of A-Z a-z 0-9 _ . / : - and escapes such as %20, the first a letter, digit or _"
  private static let variables =
    "expected $HOME or one of $XDG_{CONFIG,CACHE,DATA,STATE}_HOME and $XDG_RUNTIME_DIR"

  static let syntax = [
    Case("a = ", "c.toml:1:5: expected a value, found the end of the file"),
    Case("[value.v]\n[value.v]", "c.toml:2:8: value.v is already a table (line 1): remove one of the two"),
  ]

  static let topLevel = [
    Case("outptu = 1", "c.toml:1:1: outptu: unknown key (did you mean 'output'?)"),
    Case("[[triger]]", "c.toml:1:3: triger: unknown key (did you mean 'trigger'?)"),
    Case("\"\\u001B[2J\" = 1", "c.toml:1:1: \"\\u{1b}[2J\": unknown key"),
    Case("output = 'x'", "c.toml:1:10: output: expected a table, found a string"),
    Case("value.v = 1.5", "c.toml:1:11: value.v: expected a table, found a float\(named)"),
    Case("[trigger]", "c.toml:1:1: trigger: expected an array of tables, [[trigger]], found a table"),
    Case("trigger = [1]", "c.toml:1:12: trigger[1]: expected a table, found an integer"),
    Case(
      "[profile]\nquiet_hours='22:00-22:00'",
      "c.toml:2:13: profile.quiet_hours: begins and ends at the same time, '22:00'; for quiet all day long there is "
        + "'soundd profile quiet'"),
    Case(
      "[profile]\nquiet_hours = '25:00-07:00'",
      "c.toml:2:15: profile.quiet_hours: '25:00' is no time of day; expected 00:00 to 23:59"),
    Case(
      "profile.quiet_hours='22-7'",
      "c.toml:1:21: profile.quiet_hours: expected two times of day such as \"22:00-07:00\", found '22-7'"),
    Case(
      "[profile]\nquiet_hours=22:00-07:00",
      "c.toml:2:13: expected a date or a time, such as 2026-01-31, 07:30:00 or 2026-01-31T07:30:00Z, found '22:00-07:00'; "
        + "a text needs quotes"),
    Case(
      "[profile]\nquiet_hour='22:00-07:00'",
      "c.toml:2:1: profile.quiet_hour: unknown key (did you mean 'quiet_hours'?)"),
    Case(
      "profile.quiet_hours=['mon 22:00-07:00', 'xyz 22:00-07:00']",
      "c.toml:1:41: profile.quiet_hours[2]: expected a day such as mon, or days such as mon-fri, found 'xyz'"),
    Case(
      "profile.quiet_hours=[]",
      "c.toml:1:21: profile.quiet_hours: expected at least one time such as \"22:00-07:00\", found an empty array"),
    Case(
      "output.latency='10'",
      "c.toml:1:16: output.latency: expected a duration such as \(durations) (at most 8760 h), found '10' "
        + "(did you mean '10 ms'?)"),
    Case(
      "\(text)cooldown='1 s'", "c.toml:5:1: trigger[1].cooldown: unknown key (did you mean 'throttle'?)"),
    Case("value.v.interval='1 s'", "c.toml:1:9: value.v.interval: unknown key (did you mean 'poll'?)"),
    Case(
      "\(text)exec='true'",
      "c.toml:5:1: trigger[1].exec: unknown key: nothing here runs a command; let the command run "
        + "'soundd set NAME=VALUE'"),
    Case("[output]\nduck='-3 dB'", "c.toml:2:6: output.duck: expected 0 dB to 60 dB, such as \"12 dB\", found '-3 dB'"),
    Case("[output]\nduck=3", "c.toml:2:6: output.duck: expected 0 dB to 60 dB, such as \"12 dB\", found an integer"),
    Case(
      "[speech]\ncommand='espeak'",
      "c.toml:2:9: speech.command: expected a list such as [\"espeak-ng\", \"--stdout\", \"--stdin\"], found a string"),
    Case(
      "[[trigger]]\nvalue='v'\nsay='{x}'",
      "c.toml:3:5: trigger[1].say: expected {value}, {old}, {name} or {trigger}, found '{x}'"),
    Case(
      "[[trigger]]\nvalue='v'\nto='1'\nloop=true\nsay='x'",
      "c.toml:5:5: trigger[1].say: an alarm needs a 'sound' beside it, because it speaks only once"),
    Case(
      "[group.g]\n[[trigger]]\nvalue='v'\ngroup='g'\nsay='x'",
      "c.toml:4:7: trigger[1].group: [group.g] needs a 'sound', because what it holds back is not spoken"),
    Case("[sounds]\npacks=1", "c.toml:2:7: sounds.packs: expected a string, found an integer"),
    Case("[sounds]\nnormalize='a'", "c.toml:2:11: sounds.normalize: expected a boolean, found a string"),
    Case(
      "[[trigger]]\nvalue='v'\nsound='pack:a'",
      "c.toml:3:7: trigger[1].sound: expected \"pack:NAME/CATEGORY\", found 'pack:a'"),
    Case(
      "[[trigger]]\nvalue='v'\nsound='tone:a'",
      "c.toml:3:7: trigger[1].sound: expected a tone as \"tone:440 Hz 40 ms\", with 20 Hz to 20 kHz and 1 ms to 10 s, "
        + "found 'tone:a'"),
    Case("[sounds]\ntheme='a/b'", "c.toml:2:7: sounds.theme: expected the name of a theme, or \"auto\", found a path"),
    Case("[sounds]\ntheme=3", "c.toml:2:7: sounds.theme: expected a string, found an integer"),
  ]

  static let output = [
    Case("[output]\ndevice=1", "c.toml:2:8: output.device: expected a string, found an integer"),
    Case("[output]\ndevice=''", "c.toml:2:8: output.device: expected a name, found an empty string"),
    Case(
      "[output]\ndevice=\"a\\nb\"",
      "c.toml:2:8: output.device: expected a name without control characters, found 'a\\nb'"),
    Case("[output]\nrate=7999", "c.toml:2:6: output.rate: expected 8000 to 192000, found 7999"),
    Case(
      "[output]\nrate='44100'", "c.toml:2:6: output.rate: expected an integer, found a string: write it without quotes"),
    Case("[output]\nrate='044100'", "c.toml:2:6: output.rate: expected an integer, found a string"),
    Case("[output]\nrate=44100.0", "c.toml:2:6: output.rate: expected an integer, found a float"),
    Case("[output]\nlatency='0.5 ms'", "c.toml:2:9: output.latency: expected 1 ms to 2 s, found '0.5 ms'"),
    Case(
      "[output]\nlatency=10",
      "c.toml:2:9: output.latency: expected a duration such as \(durations), found an integer (did you mean '10 ms'?)"),
    Case(
      "[output]\nlatency='10 us'",
      "c.toml:2:9: output.latency: expected a duration such as \(durations) (at most 8760 h), found '10 us'"),
    Case(
      "[output]\nkeep_open='sometimes'",
      "c.toml:2:11: output.keep_open: expected 'always', 'never' or a duration such as \(durations), found 'sometimes'"),
    Case(
      "[output]\nkeep_open=30",
      "c.toml:2:11: output.keep_open: expected 'always', 'never' or a duration such as \(durations), found an integer"),
    Case("[output]\nwake='3 s'", "c.toml:2:6: output.wake: expected 0 ms to 2 s, found '3 s'"),
    Case(
      "[output]\nwake='of'",
      "c.toml:2:6: output.wake: expected 'auto', 'off' or a duration such as \(durations), found 'of' (did you mean 'off'?)"
    ),
    Case("[output]\nkeep_open='25 h'", "c.toml:2:11: output.keep_open: expected 0 ms to 24 h, found '25 h'"),
  ]

  static let limits = [
    Case("[limits]\nvalues=-1", "c.toml:2:8: limits.values: expected 1 to 16777216, found -1"),
    Case(
      "[limits]\nsound_seconds=9223372036854775807",
      "c.toml:2:15: limits.sound_seconds: expected 1 to 86400, found 9223372036854775807"),
    Case(
      "[limits]\nvalues=1\n[value.a]\n[value.b]\n",
      "c.toml:4:8: value.b: expected at most 1 values (limits.values), found 2"),
  ]

  static let values = [
    Case("[value.'a b']", "c.toml:1:8: value.\"a b\": expected a value's name (\(nameRule)), found 'a b'"),
    Case(
      "[value.a.b]",
      "c.toml:1:10: value.a.b: unknown key; a value's name with dots needs quotes: [value.\"a.b\"]"),
    Case("[value.v]\nfiel='x'", "c.toml:2:1: value.v.fiel: unknown key (did you mean 'file'?)"),
    Case("[value.v]\nfile=''", "c.toml:2:6: value.v.file: expected a path, found an empty string"),
    Case(
      "[value.v]\nfile='/tmp/'",
      "c.toml:2:6: value.v.file: expected the path of a file, found that of a folder, '/tmp/'"),
    Case(
      "[value.v]\nfile='..'",
      "c.toml:2:6: value.v.file: expected the path of a file, found that of a folder, '..'"),
    Case("[value.v]\nfile=\"a\\u0000\"", "c.toml:2:6: value.v.file: expected a path, found one with U+0000"),
    Case(
      "[value.v]\nfile='~bob/x'",
      "c.toml:2:6: value.v.file: '~bob' is not expanded: write '~/…' for your own home directory, or the whole path"),
    Case(
      "[value.v]\nfile='$HOM/x'", "c.toml:2:6: value.v.file: '$HOM' is not known; \(variables) (did you mean '$HOME'?)"),
    Case("[value.v]\nfile='${USER}/x'", "c.toml:2:6: value.v.file: '$USER' is not known; \(variables)"),
    Case("[value.v]\nfile='${HOME/x'", "c.toml:2:6: value.v.file: expected '}' after '${HOME'"),
    Case(
      "[value.v]\nfile='a$/x'",
      "c.toml:2:6: value.v.file: expected a variable after '$'; write '$$' for a dollar sign"),
    Case(
      "[value.v]\nfile='$XDG_RUNTIME_DIR/x'",
      "c.toml:2:6: value.v.file: the environment variable XDG_RUNTIME_DIR is not set to an absolute path"),
    Case("[value.v]\npoll='5 s'", "c.toml:2:6: value.v.poll: needs a 'file', 'lines', 'count' or 'exists' beside it"),
    Case("[value.v]\nfile='x'\npoll='0 s'", "c.toml:3:6: value.v.poll: expected 1 ms to 24 h, found '0 s'"),
    Case(
      "[value.v]\nfile='x'\npoll=5",
      "c.toml:3:6: value.v.poll: expected a duration such as \(durations), found an integer (did you mean '5 s'?)"),
    Case(
      "[value.v]\ntype='numbre'",
      "c.toml:2:6: value.v.type: expected one of \"text\", \"number\", \"bool\", \"json\", \"event\", found 'numbre' "
        + "(did you mean 'number'?)"),
    Case(
      "[value.v]\ntrim='true'", "c.toml:2:6: value.v.trim: expected a boolean, found a string: write it without quotes"),
  ]

  static let triggers = [
    Case("[[trigger]]\nsound='x'", "c.toml:1:1: trigger[1]: 'value' is missing"),
    Case(
      "[[trigger]]\nvalue='v'\nsound='say:hi'",
      "c.toml:3:7: trigger[1].sound: expected a sound, found 'say:hi'; to speak, write say = \"...\" instead"),
    Case("[[trigger]]\nvalue='v'", "c.toml:1:1: trigger[1]: 'sound', 'sounds' or 'say' is missing"),
    Case(
      "[[trigger]]", "c.toml:1:1: trigger[1]: 'value' is missing",
      "c.toml:1:1: trigger[1]: 'sound', 'sounds' or 'say' is missing"),
    Case("[[trigger]]\nvalue='v'\nsond='x'", "c.toml:3:1: trigger[1].sond: unknown key (did you mean 'sound'?)"),
    Case("[[trigger]]\nvaleu='v'\nsound='x'", "c.toml:2:1: trigger[1].valeu: unknown key (did you mean 'value'?)"),
    Case(
      "[[trigger]]\nvalue='a b'\nsound='x'",
      "c.toml:2:7: trigger[1].value: expected a value's name (\(nameRule)), found 'a b'"),
    Case(
      "\(text)sounds={ a='y' }", "c.toml:5:8: trigger[1].sounds: 'sound' and 'sounds' exclude each other"),
    Case("[[trigger]]\nvalue='v'\nsound=''", "c.toml:3:7: trigger[1].sound: expected a name, found an empty string"),
    Case(
      "[[trigger]]\nvalue='v'\nsound='~bob/x.wav'",
      "c.toml:3:7: trigger[1].sound: '~bob' is not expanded: write '~/…' for your own home directory, or the whole path"
    ),
    Case(
      "[[trigger]]\nvalue='v'\nsounds={}",
      "c.toml:3:8: trigger[1].sounds: expected at least one sound, found an empty table"),
    Case(
      "[[trigger]]\nvalue='v'\nsounds={ 'a b'=1 }",
      "c.toml:3:16: trigger[1].sounds.\"a b\": expected a string, found an integer"),
    Case(
      "[[trigger]]\nvalue='v'\nsounds={ a=['x'] }",
      "c.toml:3:12: trigger[1].sounds.a: expected a string, found an array"),
    Case("\(text)name=''", "c.toml:5:6: trigger[1].name: expected a name, found an empty string"),
    Case("\(text)name='a '", "c.toml:5:6: trigger[1].name: expected a name without blanks at its ends, found 'a '"),
    Case(
      "\(text)name='n'\n[[trigger]]\nvalue='v'\nsound='x'\nname='n'",
      "c.toml:9:6: trigger[2].name: 'n' is already the name of the trigger at line 5"),
    Case(
      "\(text)when='incraese'",
      "c.toml:5:6: trigger[1].when: expected one of \"change\", \"increase\", \"decrease\", \"stale\", found "
        + "'incraese' (did you mean 'increase'?)"),
  ]

  static let contents = [
    Case("\(text)to=1", "c.toml:5:4: trigger[1].to: expected a string, found an integer"),
    Case("\(text)from=[]", "c.toml:5:6: trigger[1].from: expected at least one value, found an empty array"),
    Case("\(text)to=['a', true]", "c.toml:5:10: trigger[1].to[2]: expected a string, found a boolean"),
    Case("\(number)to=['1', 'x']", "c.toml:6:10: trigger[1].to[2]: expected a number, found 'x'"),
    Case("\(number)to=nan", "c.toml:6:4: trigger[1].to: expected a finite number, found nan"),
    Case(
      "\(bool)from='maybe'",
      "c.toml:6:6: trigger[1].from: expected true, yes, on, 1, false, no, off or 0, found 'maybe'"),
    Case(
      "[value.v]\ntype='json'\n[[trigger]]\nvalue='v'\nsound='x'\nto='{'",
      "c.toml:6:4: trigger[1].to: expected a JSON document, found '{'"),
    Case(
      "[value.v]\ntype='number'\n[[trigger]]\nvalue='v'\nsounds={ '1'='x', '1.0'='y', a='z' }",
      "c.toml:5:19: trigger[1].sounds.\"1.0\": is the same value as '1' (line 5)",
      "c.toml:5:30: trigger[1].sounds.a: expected a number, found 'a'"),
    Case(
      "[value.v]\ntype='bool'\n[[trigger]]\nvalue='v'\n[trigger.sounds]\nyes='x'\non='y'",
      "c.toml:7:1: trigger[1].sounds.on: is the same value as 'yes' (line 6)"),
  ]

  static let thresholds = [
    Case(
      "\(number)above='1'", "c.toml:6:7: trigger[1].above: expected a number, found a string: write it without quotes"),
    Case("\(number)above='.5'", "c.toml:6:7: trigger[1].above: expected a number, found a string"),
    Case(
      "\(number)above='-2.5e3'",
      "c.toml:6:7: trigger[1].above: expected a number, found a string: write it without quotes"),
    Case("\(number)above=inf", "c.toml:6:7: trigger[1].above: expected a finite number, found inf"),
    Case(
      "\(text)hysteresis=5",
      "c.toml:5:12: trigger[1].hysteresis: is a condition on numbers; the value is of type \"text\" (type = \"number\"?)"
    ),
    Case("\(number)hysteresis=5", "c.toml:6:12: trigger[1].hysteresis: needs above or below: the line to go back past"),
    Case(
      "\(number)above=1\nhysteresis=-0.5",
      "c.toml:7:12: trigger[1].hysteresis: must be a finite number, 0 or more"),
    Case(
      "\(text)above=1",
      "c.toml:5:7: trigger[1].above: is a condition on numbers; the value is of type \"text\" (type = \"number\"?)"),
    Case("\(number)above='x'\nhysteresis=5", "c.toml:6:7: trigger[1].above: expected a number, found a string"),
    Case(
      "[[trigger]]\nvalue='nobody'\nsound='x'\nwhen='decrease'",
      "c.toml:4:6: trigger[1].when: \"decrease\" compares numbers, and nobody is of type \"text\""),
  ]

  static let all =
    syntax + topLevel + output + limits + values + triggers + contents + thresholds

  @Test(arguments: all)
  func `a problem is shown in full`(example: Case) {
    #expect(errors(example.text) == example.errors)
  }

  @Test func `all problems are shown, in the order of the file`() {
    let text = """
      [[trigger]]
      value = "build"
      sound = "success"
      debonce = "1 s"
      throttle = 5

      [value.build]
      type = "nubmer"
      fifo = 1

      [output]
      rate = 1
      colour = "red"

      [[trigger]]
      value = "mail"
      above = 3
      """
    #expect(
      errors(text) == [
        "c.toml:4:1: trigger[1].debonce: unknown key (did you mean 'debounce'?)",
        "c.toml:5:12: trigger[1].throttle: expected a duration such as \(Self.durations), found an integer (did you mean '5 s'?)",
        "c.toml:8:8: value.build.type: expected one of \"text\", \"number\", \"bool\", \"json\", \"event\", "
          + "found 'nubmer' (did you mean 'number'?)",
        "c.toml:9:8: value.build.fifo: expected a string, found an integer",
        "c.toml:12:8: output.rate: expected 8000 to 192000, found 1",
        "c.toml:13:1: output.colour: unknown key",
        "c.toml:15:1: trigger[2]: 'sound', 'sounds' or 'say' is missing",
        "c.toml:17:9: trigger[2].above: is a condition on numbers; the value is of type \"text\" (type = \"number\"?)",
      ])
  }

  @Test func `a value of unknown type draws no further errors`() {
    let trigger = "[[trigger]]\nvalue='v'\nsounds={ 1='x' }\nabove=1\nto=2\nwhen='increase'"
    #expect(
      errors("[value.v]\ntype=1\n\(trigger)") == ["c.toml:2:6: value.v.type: expected a string, found an integer"])
    #expect(errors("value.v=1\n\(trigger)") == ["c.toml:1:9: value.v: expected a table, found an integer\(Self.named)"])
  }

  @Test func `the errors as a whole are one line each`() {
    let error = #expect(throws: Failure.self) {
      try ConfigurationText(file: "/x/c.toml", bytes: Array("a=1\nb=2".utf8)).configuration(.test)
    }
    #expect(error?.description == "/x/c.toml:1:1: a: unknown key\n/x/c.toml:2:1: b: unknown key")
  }
}

extension SystemEnvironment {
  /// A user's, without any of the XDG variables.
  static let test = SystemEnvironment(variables: ["HOME": "/home/ann"], workingDirectory: "/work")
}
