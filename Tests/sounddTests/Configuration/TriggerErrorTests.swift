import SoundTrigger
import Testing

@testable import soundd

/// The errors of triggers that cannot work: each has a text of its own.
struct TriggerErrorTests {
  /// Keys of a trigger that begins at line 8, and what is wrong with them, without the file's name.
  typealias Case = ProblemCase

  static let head = """
    [value.n]
    type = 'number'
    [value.t]
    [value.b]
    type = 'bool'
    [value.e]
    type = 'event'
    [[trigger]]

    """
  /// A trigger on a text; its next key is in line 11.
  private static let text = "value = 't'\nsound = 'x'\n"
  /// The same on a number.
  private static let number = "value = 'n'\nsound = 'x'\n"
  private static let durations = #""250 ms", "2 s", "5 min" or "1 h""#
  private static let nameRule =
    "1 to 128 of A-Z a-z 0-9 _ . / : - and escapes such as %20, the first a letter, digit or _"

  private func errors(_ keys: String) -> [String] {
    ConfigurationDraft(Array((Self.head + keys).utf8), file: "c", environment: .test).errors.map {
      String($0.description.dropFirst("c:".count))
    }
  }

  // MARK: The sound that follows the number

  static let mappings = [
    Case("\(number)map={ speed={ } }", "11:7: trigger[1].map.speed: unknown key"),
    Case("\(number)map={ pan={ from=[0, 1] } }", "11:11: trigger[1].map.pan: 'to' is missing"),
    Case("\(number)map={ pan={ from=[0], to=[0, 1] } }", "11:18: trigger[1].map.pan.from: expected two, as [0, 100]"),
    Case(
      "\(number)map={ pitch={ from=[0, 1], to=[0, '1 st'] } }",
      "11:31: trigger[1].map.pitch.to: expected semitones such as \"-12 st\", found an integer"),
    Case(
      "\(number)map={ pitch={ from=[0, 1], to=['1', '1 st'] } }",
      "11:31: trigger[1].map.pitch.to: expected semitones such as \"-12 st\", found '1'"),
    Case(
      "\(number)map={ pitch={ from=[0, 1], to=['0 st', '25 st'] } }",
      "11:5: trigger[1].map: to of pitch must be within -24 and 24"),
    Case(
      "\(text)map={ pan={ from=[0, 1], to=[0, 1] } }",
      "11:5: trigger[1].map: needs numbers; t is of type \"text\" (type = \"number\"?)"),
    Case(
      "\(number)map={ pan={ from=[0, 1], to=[0, 1], of='new' } }",
      "11:40: trigger[1].map.pan.of: expected one of \"value\", \"old\", \"delta\", found 'new'"),
  ]

  // MARK: Values

  static let values = [
    Case("value=[]\nsound='x'", "9:7: trigger[1].value: expected at least one value, found an empty array"),
    Case("value=['t', 'n', 't']\nsound='x'", "9:18: trigger[1].value[3]: 't' is in the list already"),
    Case(
      "value=['t', 'a b']\nsound='x'",
      "9:13: trigger[1].value[2]: expected a value's name (\(nameRule)), found 'a b'"),
    // Each value's type is checked.
    Case(
      "value=['n', 't']\nsound='x'\nabove=1",
      "11:7: trigger[1].above: is a condition on numbers; t is of type \"text\" (type = \"number\"?)"),
    Case(
      "value=['t', 'n']\nsound='x'\nto='failed'",
      "11:4: trigger[1].to: n is of type \"number\" and can never equal this"),
    Case(
      "value=['b', 'n']\nsound='x'\nto='x'",
      "11:4: trigger[1].to: expected true, yes, on, 1, false, no, off or 0 or a number, found 'x'"),
    Case(
      "value=['b', 'n']\nsound='x'\nto=1979-05-27",
      "11:4: trigger[1].to: expected a boolean or a number, found a date or a time"),
    Case(
      "value=['t', 'n']\nsounds={ failed='x' }",
      "10:8: trigger[1].sounds: n is of type \"number\" and can never equal this"),
    Case(
      "value=['b', 'n']\nsounds={ yes='x', 1='y' }",
      "10:19: trigger[1].sounds.1: is the same value as 'yes' (line 10)"),
  ]

  // MARK: Sounds

  private static let needsList = "needs a list to pick from, such as sound = [\"press\", \"release\"]"

  static let sounds = [
    Case("value='t'\nsound='x'\npick='random'", "11:6: trigger[1].pick: \(needsList)"),
    Case("value='t'\nsounds={ a='x' }\npick='cycle'", "11:6: trigger[1].pick: \(needsList)"),
    Case(
      "value='t'\nsound=[]\npick='cycle'", "10:7: trigger[1].sound: expected at least one sound, found an empty array"),
    Case(
      "value='t'\nsound=['x', '']\npick='cycle'", "10:13: trigger[1].sound[2]: expected a name, found an empty string"),
    Case(
      "value='t'\nsound=['x']\npick='rnadom'",
      "11:6: trigger[1].pick: expected one of \"random\", \"cycle\", found 'rnadom' (did you mean 'random'?)"),
    Case(
      "value='t'\nsound=['x']\npick='cycle'\nsounds={ a='y' }",
      "12:8: trigger[1].sounds: 'sound' and 'sounds' exclude each other"),
  ]

  // MARK: Conditions

  private static let senseless = "makes no sense with when = \"stale\": nothing changes when a value becomes stale"

  static let conditions = [
    Case(
      "\(number)below=90\nabove=90",
      "11:7: trigger[1].below: 90 must be less than above (90): the numbers between them are left alone"),
    Case(
      "value=['t', 'undeclared']\nsound='x'\nwhen='stale'\nfrom='a'",
      "11:6: trigger[1].when: \"stale\" needs an expect_every of each value, and t has none",
      "11:6: trigger[1].when: \"stale\" needs an expect_every of each value, and undeclared has none",
      "12:6: trigger[1].from: \(senseless)"),
    Case("\(text)matches=''", "11:9: trigger[1].matches: expected a regular expression, found an empty string"),
    Case(
      "\(text)to=['passed', 'skipped']\nmatches='^fail'", "12:9: trigger[1].matches: matches none of the values in to"),
    Case("\(text)initial=1", "11:9: trigger[1].initial: expected true, false or \"if-changed\", found an integer"),
    Case(
      "\(text)initial='if_changed'",
      "11:9: trigger[1].initial: expected true, false or \"if-changed\", found 'if_changed' (did you mean 'if-changed'?)"
    ),
  ]

  /// On a value that is expected, staleness goes with some keys and not with others.
  static let staleness =
    [("from", "'a'"), ("debounce", "'1 s'"), ("initial", "true"), ("initial", "'if-changed'")].map { key, content in
      Case("\(expected)\(key)=\(content)\n\(expectation)", "12:\(key.count + 2): trigger[1].\(key): \(senseless)")
    } + [
      Case("\(expected)to='a'\nmatches='a'\ndelay='1 s'\nloop=true\ncancel='t'\nthrottle='1 h'\n\(expectation)")
    ]
  private static let expected = "value='s'\nsound='x'\nwhen='stale'\n"
  private static let expectation = "[value.s]\nexpect_every='1 min'"

  /// The words are PCRE2's; the column is that of the problem where it can be found in the text.
  static let expressions = [
    Case("\(text)matches='a(b'", "11:13: trigger[1].matches: missing closing parenthesis (at character 4 of 'a(b')"),
    Case(
      "\(text)matches = \"é(b\"", "11:15: trigger[1].matches: missing closing parenthesis (at character 4 of 'é(b')"),
    Case(
      "\(text)matches='''ab)c'''", "11:14: trigger[1].matches: unmatched closing parenthesis (at character 3 of 'ab)c')"
    ),
    // With an escape before it, or on other lines, the place is that of the string.
    Case(
      "\(text)matches = \"\\\\d+(\"",
      "11:11: trigger[1].matches: missing closing parenthesis (at character 5 of '\\d+(')"),
    Case(
      "\(text)matches = '''\n*a'''",
      "11:11: trigger[1].matches: quantifier does not follow a repeatable item (at character 1 of '*a')"),
  ]

  // MARK: Time

  private static let form = "expected a duration such as \(durations)"

  static let timing =
    ["debounce", "delay", "throttle", "loop_every", "loop_limit"].map { key in
      let loop = key.hasPrefix("loop") ? "to='a'\nloop=true\n" : ""
      let location = "\(loop.isEmpty ? 11 : 13):\(key.count + 2): trigger[1].\(key)"
      return Case("\(text)\(loop)\(key)='0 s'", "\(location): must be longer than 0")
    } + [
      Case("\(text)delay='0.0000001 ms'", "11:7: trigger[1].delay: must be longer than 0"),
      Case("\(text)delay='8761 h'", "11:7: trigger[1].delay: \(form) (at most 8760 h), found '8761 h'"),
      Case("\(text)fresh='-1 s'", "11:7: trigger[1].fresh: \(form) (at most 8760 h), found '-1 s'"),
      Case("\(text)fresh=0", "11:7: trigger[1].fresh: \(form), found an integer (did you mean '0 s'?)"),
    ]

  // MARK: While it sounds

  private static let needsState =
    "needs a condition that ends: to, above, below, matches, when = \"stale\", or sounds without \"*\""
  private static let selfish = "t is the value that is watched: each change would call off what it begins"
  private static let overlaps = "expected one of \"mix\", \"restart\", \"ignore\", \"queue\""

  static let playing = [
    Case("\(text)loop=true", "11:6: trigger[1].loop: \(needsState)"),
    Case("\(text)loop_every='30 s'", "11:12: trigger[1].loop_every: \(needsState)"),
    Case("\(text)to='a'\nloop=false\nloop_every='30 s'", "13:12: trigger[1].loop_every: needs loop = true"),
    Case("\(text)to='a'\nlatch=true", "12:7: trigger[1].latch: needs loop = true"),
    Case(
      "\(text)to='a'\nloop=true\nloop_every=[]",
      "13:12: trigger[1].loop_every: expected at least one duration, found an empty array"),
    Case(
      "\(text)to='a'\nloop=true\nescalate=[{ after='1 min' }]",
      "13:10: trigger[1].escalate: each step changes volume, sound or importance"),
    Case(
      "\(text)to='a'\nloop=true\nescalate={ volume=1 }", "13:10: trigger[1].escalate: 'after' is missing"),
    Case(
      "\(text)to='a'\nloop=true\nescalate=[{ after='2 s', volume=1 }, { after='1 s', sound='x' }]",
      "13:10: trigger[1].escalate: after must be longer than that of the step before"),
    Case("\(text)unless='t'", "11:8: trigger[1].unless: t is a value that is watched: it would silence what it begins"),
    Case("\(text)unless=['a', 'a']", "11:14: trigger[1].unless[2]: 'a' is in the list already"),
    Case("\(text)group='net'", "11:7: trigger[1].group: there is no [group.net]"),
    Case("\(text)loop=false\nloop_limit='30 s'", "12:12: trigger[1].loop_limit: needs loop = true"),
    Case(
      "\(text)to='a'\nloop_limit='5 s'\nloop_every='30 s'\nloop=true",
      "12:12: trigger[1].loop_limit: must be longer than loop_every: nothing would be repeated"),
    Case(
      "\(text)to='a'\nloop=true\noverlap='queue'",
      "13:9: trigger[1].overlap: \"queue\" has no effect on a loop: it sounds once, until its condition ends"),
    Case("\(text)overlap='qeue'", "11:9: trigger[1].overlap: \(overlaps), found 'qeue' (did you mean 'queue'?)"),
    Case("\(text)cancel='t'", "11:8: trigger[1].cancel: \(selfish)"),
  ]

  // MARK: One problem, one error

  /// A key that could not be read must not make others seem wrong.
  static let consequences = [
    Case("\(number)above='x'\nloop=true", "11:7: trigger[1].above: expected a number, found a string"),
    Case(
      "\(text)matches='('\nloop=true\nloop_every='1 s'",
      "11:11: trigger[1].matches: missing closing parenthesis (at character 2 of '(')"),
    Case("\(text)to=1\nloop=true", "11:4: trigger[1].to: expected a string, found an integer"),
    Case("\(number)abvoe=90\nloop=true", "11:1: trigger[1].abvoe: unknown key (did you mean 'above'?)"),
    Case("\(text)to='a'\nlopo=true\nloop_every='1 s'", "12:1: trigger[1].lopo: unknown key (did you mean 'loop'?)"),
    Case("\(text)to='a'\nloop=1\nloop_every='1 s'", "12:6: trigger[1].loop: expected a boolean, found an integer"),
    Case(
      "\(text)loop_every=1",
      "11:12: trigger[1].loop_every: expected a duration such as \(durations), found an integer (did you mean '1 s'?)"),
  ]

  static let all = mappings + values + sounds + conditions + staleness + expressions + timing + playing + consequences

  @Test(arguments: all)
  func `a trigger that cannot work is refused with its reason`(example: Case) {
    #expect(errors(example.text) == example.errors)
  }

  @Test func `a value of unknown type in a list draws no further errors`() {
    let trigger = "[[trigger]]\nvalue=['a', 'v']\nsounds={ 1='x' }\nabove=1\nto=2\nwhen='stale'\nloop=true"
    #expect(
      errors("value='t'\nsound='x'\n[value.v]\ntype=1\n\(trigger)") == [
        "12:6: value.v.type: expected a string, found an integer"
      ])
  }
}
