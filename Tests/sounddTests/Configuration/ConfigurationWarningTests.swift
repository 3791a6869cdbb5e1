import Foundation
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// The warnings of a valid configuration that can never sound.
struct ConfigurationWarningTests {
  typealias Case = ProblemCase

  private func warnings(_ text: String) throws -> [String] {
    try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test).warnings(file: "c.toml")
      .map(\.description)
  }

  private static let play = "sound='x'\n"
  private static let unused = "no trigger uses this value, so it plays nothing: add a [[trigger]] with value"
  private static let jitter =
    "a jittering number is never still, so this may never play: to ignore short peaks, write delay"

  @Test func `a gate whose type is never true is warned of, wherever it is`() throws {
    let text = """
      [value.j]
      type = "json"
      [value."press/*"]
      type = "event"
      [value.n]
      type = "number"
      [profile]
      silent_while = "press/a"
      [[trigger]]
      value = "v"
      unless = ["n", "j", "undeclared"]
      sound = "x"
      """
    let found = try warnings(text)
    #expect(found.count == 2, "\(found)")
    #expect(
      found.contains {
        $0.hasPrefix("c.toml:8:16: profile.silent_while: 'press/a' is of type \"event\", which is never true")
      })
    #expect(
      found.contains {
        $0.hasPrefix("c.toml:11:16: trigger[1].unless[2]: 'j' is of type \"json\", which is never true")
      })
  }

  private static let double = "plays the same for the same changes of"

  static let settings = [
    Case(
      "",
      "c.toml:1:1: there is no [[trigger]], so no change plays a sound: add one, such as the examples of 'soundd init' have"
    ),
    // Not one warning for each value as well.
    Case(
      "[value.a]\n[value.b]\n",
      "c.toml:1:1: there is no [[trigger]], so no change plays a sound: add one, such as the examples of 'soundd init' have"
    ),
    Case(
      "[value.zebra]\n[[trigger]]\nvalue='ant'\nsound='x'",
      "c.toml:1:1: value.zebra: \(unused) = \"zebra\", or remove it"),
    Case(
      "[value.build]\n[[trigger]]\nvalue='biuld'\nsound='x'",
      "c.toml:3:7: trigger[1].value: nothing declares 'biuld', so only clients can set it; if that is right, add "
        + "[value.biuld] (did you mean 'build'?)"),
    Case(
      "[value.'a.b']\n[[trigger]]\nvalue=['a.b', 'a.c']\nsound='x'",
      "c.toml:3:15: trigger[1].value[2]: nothing declares 'a.c', so only clients can set it; if that is right, add "
        + "[value.\"a.c\"] (did you mean 'a.b'?)"),
    Case(
      "[value.mail]\n[value.done]\n[[trigger]]\nvalue='mail'\nsound='x'\ncancel='doen'",
      "c.toml:6:8: trigger[1].cancel: nothing declares 'doen', so only clients can set it; if that is right, add "
        + "[value.doen] (did you mean 'done'?)"),
    Case(
      "[value.weather]\n[value.frost]\nof='wether'\nbelow=0\njson='/t'\n[[trigger]]\nvalue='frost'\nsound='x'",
      "c.toml:3:4: value.frost.of: nothing declares 'wether', so only clients can set it; if that is right, add "
        + "[value.wether] (did you mean 'weather'?)"),
    Case(
      "[value.n]\ntype='number'\n[[trigger]]\nvalue='n'\nabove=3\ndebounce='2 s'\nsound='x'",
      "c.toml:6:10: trigger[1].debounce: \(jitter) = \"2 s\""),
    Case(
      "[value.n]\ntype='number'\n[[trigger]]\nvalue='n'\nbelow=3\ndebounce='2 s'\nsound='x'",
      "c.toml:6:10: trigger[1].debounce: \(jitter) = \"2 s\""),
    Case(
      "[[trigger]]\nvalue=['v','w']\nsound='x'\n[[trigger]]\nvalue=['w','v']\nname='other'\nsound='x'",
      "c.toml:4:1: trigger[2]: \(double) 'w', 'v' as the trigger at line 1, so you hear both: remove one of the two"),
    // Under two names, the same file.
    Case(
      "[value.a]\ncount='/tmp'\n[value.b]\ncount='/tmp'\npoll='1 s'\n[[trigger]]\nvalue='a'\nwhen='increase'\nsound='x'\n"
        + "[[trigger]]\nvalue='b'\nwhen='increase'\nsound='x'",
      "c.toml:10:1: trigger[2]: \(double) /tmp as the trigger at line 6, so you hear both: remove one of the two"),
  ]

  @Test(arguments: settings) func `a setting that can never sound is named, with its location and the remedy`(
    _ example: Case
  ) throws {
    #expect(try warnings(example.text) == example.errors)
  }

  @Test(arguments: [
    // Undeclared, and not close to anything: clients set it.
    "[[trigger]]\nvalue='door'\nsound='x'\ncancel='acknowledged'",
    "[value.build]\n[[trigger]]\nvalue=['build','door']\nsound='x'\ncancel='acknowledged'",
    // Used by another value, or only by `cancel`.
    "[value.a]\n[value.b]\nof='a'\n[value.c]\n[[trigger]]\nvalue='b'\nsound='x'\ncancel='c'",
    // A debounce without a threshold, and a delay with one.
    "[value.n]\ntype='number'\n[[trigger]]\nvalue='n'\ndebounce='2 s'\nsound='x'",
    "[value.n]\ntype='number'\n[[trigger]]\nvalue='n'\nabove=3\ndelay='2 s'\nsound='x'",
    // Two triggers that differ in what they play, or when.
    "[[trigger]]\nvalue='v'\nsound='x'\n[[trigger]]\nvalue='v'\nsound='y'",
    "[[trigger]]\nvalue='v'\nsound='x'\n[[trigger]]\nvalue='v'\nsound='x'\ndelay='10 min'",
    "[[trigger]]\nvalue='v'\nsound='x'\n[[trigger]]\nvalue='v'\nsound='x'\nthrottle='1 h'",
    "[[trigger]]\nvalue='v'\nsound='x'\n[[trigger]]\nvalue='v'\nsound='x'\ninitial=true",
    "[[trigger]]\nvalue='v'\nto='a'\nloop=true\nsound='x'\n[[trigger]]\nvalue='v'\nto='a'\nloop=true\nsound='x'\ncancel='w'",
    "[[trigger]]\nvalue='v'\nsound='x'\npan=-1\n[[trigger]]\nvalue='v'\nsound='x'\npan=1",
    "[[trigger]]\nvalue='v'\nsound='x'\n[[trigger]]\nvalue=['v','w']\nsound='x'",
    "[value.a]\nfile='/tmp/f'\nexpect_every='1 s'\n[value.b]\nfile='/tmp/f'\nexpect_every='1 h'\n"
      + "[[trigger]]\nvalue='a'\nwhen='stale'\nsound='x'\n[[trigger]]\nvalue='b'\nwhen='stale'\nsound='x'",
    "[[trigger]]\nvalue='v'\nto='a'\nsound='x'\n[[trigger]]\nvalue='v'\nto='b'\nsound='x'",
    "[[trigger]]\nvalue='v'\nsound='x'\n[[trigger]]\nvalue='w'\nsound='x'",
    "[value.a]\nfile='/tmp/f'\nmatch='a'\n[value.b]\nfile='/tmp/f'\n[[trigger]]\nvalue='a'\nsound='x'\n[[trigger]]\nvalue='b'\nsound='x'",
    // The file is missing and may come.
    "[value.f]\nfile='/tmp/soundd-no-such-file'\n[[trigger]]\nvalue='f'\nsound='x'",
  ]) func `what may sound is not warned of`(_ text: String) throws {
    #expect(try warnings(text) == [])
  }

  @Test func `a generated configuration with thousands of names is checked in no time`() throws {
    var text = ""
    for index in 0..<2000 { text += "[value.v\(index)]\n[[trigger]]\nvalue='w\(index)'\nsound='x'\n" }
    var found: [String] = []
    let time = try ContinuousClock().measure { found = try warnings(text) }
    #expect(found.count == 2000)
    #expect(time < atMost(.seconds(5)))
  }

  @Test func `what the daemon writes is what a command reads, and a later daemon's word means nothing`() throws {
    let message = ConfigurationMessage(
      file: "c.toml", location: TOMLLocation(line: 3, column: 1), key: "value.mail.count", message: "nobody reads this")
    let warnings = [Warning(.path, message), Warning(.misspelt, "'levl' was set", value: "levl")]
    var status = StatusMessage()
    status.warnings = warnings.map(\.message)
    #expect(try StatusMessage(status.json).warnings.map { Warning($0) } == warnings)
    let later = #"[{"code":"weather","message":"it rains","more":[1]},{"message":""}]"#
    let messages = try [WarningMessage].read(Array(later.utf8))
    #expect(messages.map { Warning($0) } == [Warning(nil, "it rains"), Warning(nil, "")])
  }

  // MARK: Paths

  /// The warning for a path below a folder that holds the file `here` and the folder `box`.
  private func problem(_ path: String, _ aspect: FileAspect) throws -> String? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("soundd-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("box"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("here"))
    var check = PathCheck()
    return check.problem(of: folder.path + path, aspect)?.description.replacingOccurrences(
      of: folder.path, with: "/F")
  }

  @Test(arguments: FileAspect.allCases) func `a missing folder is named with the command that makes it`(
    _ aspect: FileAspect
  ) throws {
    let path = aspect == .count ? "/a/b" : "/a/b/status"
    let text = "the folder /F/a/b does not exist: create it (mkdir -p /F/a/b), or correct the path"
    #expect(try problem(path, aspect) == text)
  }

  @Test func `a folder that only the kernel can make is to be corrected`() {
    var check = PathCheck()
    #expect(
      check.problem(of: "/sys/class/power_supply/BAT99/capacity", .content)?.description
        == "the folder /sys/class/power_supply/BAT99 does not exist: correct the path, unless it comes later")
  }

  @Test(arguments: FileAspect.allCases) func `a file where a folder should be is named`(_ aspect: FileAspect) throws {
    #expect(try problem("/here/status", aspect) == "/F/here is no folder: correct the path")
  }

  @Test(arguments: [FileAspect.content, .lines]) func `what is no file is named as its feeder names it`(
    _ aspect: FileAspect
  ) throws {
    let text = "/F/box is a folder: name a file in it, or count what is in it with 'count'"
    #expect(try problem("/box", aspect) == text)
    var check = PathCheck()
    for path in ["/tmp", "/dev/zero"] {
      let problem = try #require(check.problem(of: path, aspect)?.description)
      #expect(throws: FileReading.Problem.unusable(problem)) { try FileReading.status(of: path) }
    }
  }

  @Test func `what is no named pipe and no folder is named as its feeder names it`() throws {
    #expect(
      try problem("/here", .fifo) == "/F/here is a file, not a named pipe: remove it, or choose another path")
    var check = PathCheck()
    let pipe = try #require(check.problem(of: "/tmp", .fifo)?.description)
    #expect(throws: NamedPipe.Problem(text: pipe)) { try NamedPipe.identity(at: "/tmp") }
    let folder = try #require(check.problem(of: "/etc/passwd", .count)?.description)
    #expect(throws: FileReading.Problem.unusable(folder)) { _ = try FolderReading(path: "/etc/passwd") }
  }

  @Test func `what is there, or may come into a folder that is there, is fine`() throws {
    for aspect in FileAspect.allCases where aspect != .count {
      if aspect != .fifo { #expect(try problem("/here", aspect) == nil) }
      #expect(try problem("/box/later", aspect) == nil)
    }
    #expect(try problem("/box", .count) == nil)
    #expect(try problem("/here", .count) == "/F/here is no folder: correct the path")
  }

  @Test func `warnings of paths and of settings come in the order of the file`() throws {
    let text = "[value.a]\nfile='/nowhere/a'\n[value.b]\n[value.c]\ncount='/nowhere/c'\n"
    let locations = try warnings(text + "[[trigger]]\nvalue=['a','c']\nsound='x'").map { $0.prefix(10) }
    #expect(locations == ["c.toml:2:6", "c.toml:3:1", "c.toml:5:7"])
  }
}
