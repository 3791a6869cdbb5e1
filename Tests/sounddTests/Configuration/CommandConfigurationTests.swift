import SoundTrigger
import Testing

@testable import soundd

/// What a configuration says of commands and feeds.
struct CommandConfigurationTests {
  private func draft(_ text: String, writers: [String: String] = [:]) -> ConfigurationDraft {
    var text = ConfigurationText(file: "/etc/c", bytes: Array(text.utf8))
    text.writers = writers
    return ConfigurationDraft(text, environment: .test)
  }

  private func command(_ text: String) throws -> ExternalCommand {
    let draft = draft("[value.v]\n" + text)
    #expect(draft.errors == [])
    guard case .command(let command) = try #require(draft.configuration.values.first).source else {
      throw SettingProblem("no command")
    }
    return command
  }

  @Test func `a list is a program and its arguments, and a string is a line for the shell`() throws {
    #expect(try command("command = ['curl', '-s', 'x']").arguments == ["curl", "-s", "x"])
    #expect(try command("command = 'curl -s x | head'").arguments == ["/bin/sh", "-c", "curl -s x | head"])
    #expect(try command("command = ['bin/p', 'bin/p']").arguments == ["/etc/bin/p", "bin/p"])
    #expect(try command("command = ['~/p']").arguments == ["\(SystemEnvironment.test.home ?? "")/p"])
    #expect(try command("command = ['p']").folder == "/etc")
  }

  @Test func `a timeout is at most a minute unless it is given`() throws {
    #expect(try command("command = ['p']\nevery = '5 s'").timeout == .seconds(5))
    #expect(try command("command = ['p']\nevery = '5 min'").timeout == .seconds(60))
    #expect(try command("command = ['p']\nevery = '5 min'\ntimeout = '2 min'").timeout == .seconds(120))
  }

  @Test func `an exit status is a number`() throws {
    let value = try #require(
      draft("[value.v]\ncommand = ['p']\nevery = '5 s'\ntake = 'status'").configuration.values.first)
    #expect(value.kind == .number)
    #expect(value.isFileLike)
  }

  static let mistakes = [
    ProblemCase("[value.v]\nevery='1 s'", "2:7: value.v.every: needs a 'command' beside it"),
    ProblemCase(
      "[value.v]\ncommand='p'\ntake='status'",
      "3:6: value.v.take: needs an 'every' beside it: without one the command runs all the time"),
    ProblemCase(
      "[value.v]\ncommand='p'\nevery='1 s'\ntake='output'", "4:6: value.v.take: expected \"status\", found 'output'"),
    ProblemCase(
      "[value.v]\ncommand='p'\nevery='0.5 s'", "3:7: value.v.every: expected 1 s to 8760 h, found '0.5 s'"),
    ProblemCase("[value.v]\ncommand='p'\nfile='f'", "3:6: value.v.file: 'file' and 'command' exclude each other"),
    ProblemCase("[value.v]\ncommand='p'\nof='w'", "2:9: value.v.command: 'command' and 'of' exclude each other"),
    ProblemCase(
      "[value.v]\ncommand=[]",
      "2:9: value.v.command: expected a list such as [\"PROGRAM\", \"ARGUMENT\"], or a line for the shell, found nothing"
    ),
    ProblemCase("[value.v]\ncommand=['p', 1]", "2:9: value.v.command: expected a string, found an integer"),
    ProblemCase("[value.v]\nexec='p'", "2:1: value.v.exec: unknown key (did you mean 'command'?)"),
    ProblemCase(
      "[[feed]]\nname='a'", "1:1: feed[1]: 'prefix' is missing", "1:1: feed[1]: 'command' is missing"),
    ProblemCase(
      "[[feed]]\nname='a'\nprefix='/x'\ncommand='p'",
      "3:8: feed[1].prefix: expected the beginning of values' names, such as \"mqtt/\", found '/x'"),
    ProblemCase(
      "[[feed]]\nname='a'\nprefix='x/'\ncommand='p'\n[[feed]]\nname='a'\nprefix='x/y/'\ncommand='p'",
      "6:6: feed[2].name: 'a' is already the name of the feed at line 1",
      "7:8: feed[2].prefix: overlaps with \"x/\", the prefix of the feed 'a': a value has one source"),
    ProblemCase(
      "[[feed]]\nname='a'\nprefix='x/'\ncommand='p'\nexpect_every='0 s'\nexpect_evry='1 s'",
      "5:14: feed[1].expect_every: expected 1 ms to 8760 h, found '0 s'",
      "6:1: feed[1].expect_evry: unknown key (did you mean 'expect_every'?)"),
    ProblemCase(
      "[value.\(longName)]\n[[feed]]\nname='a'\nprefix='\(longName.prefix(9))'\ncommand='p'\n[value.x\(longName)]",
      "6:8: value.x\(longName.prefix(59))…: only beneath the prefix of a feed may a name have more than 128 bytes"),
    ProblemCase(
      "[[feed]]\nname='a'\nprefix='x/'\ncommand='p'\n[value.\"x/y\"]\nfile='f'",
      "6:6: value.\"x/y\".file: what is beneath \"x/\" belongs to the feed 'a'"),
  ]

  private static let longName = String(repeating: "n", count: 250)

  @Test(arguments: mistakes)
  func `a mistake is reported`(mistake: ProblemCase) {
    #expect(draft(mistake.text).errors.map { String($0.description.dropFirst("/etc/c:".count)) } == mistake.errors)
  }

  @Test func `what is beneath a prefix is the feed's, and may be stale without an interval`() {
    let draft = draft(
      """
      [[feed]]
      name = "broker"
      prefix = "mqtt/"
      command = "p"
      expect_every = "2 min"
      [value."mqtt/door"]
      type = "bool"
      [[trigger]]
      value = ["mqtt/door", "mqtt/window"]
      when = "stale"
      sound = "tick"
      """)
    #expect(draft.errors == [])
    #expect(draft.configuration.values.map(\.source) == [.feed("broker")])
    #expect(draft.configuration.feeds.map(\.prefix) == ["mqtt/"])
    #expect(draft.configuration.feeds.map(\.expectEvery) == [.seconds(120)])
    #expect(draft.configuration.ownWarnings == [])
  }

  @Test func `a file to which others may write runs no command, and the rest counts`() {
    let draft = draft(
      "[value.v]\ncommand = 'p'\n[[trigger]]\nvalue = 'v'\nsound = 'tick'",
      writers: ["/etc/c": "others may write to /etc/c: chmod go-w /etc/c"])
    #expect(draft.errors == [])
    let reason = "it does not run, because others may write to /etc/c: chmod go-w /etc/c, then: soundd reload"
    #expect(
      draft.configuration.commandWarnings(file: "/etc/c", path: nil).map(\.description)
        == ["/etc/c:2:11: value.v.command: \(reason)"])
  }

  @Test func `a reload keeps a program that runs on, if its command stayed the same`() throws {
    func value(_ text: String) throws -> ValueDeclaration {
      try #require(draft("[value.v]\n" + text).configuration.values.first)
    }
    let lines = try value("command = 'p'")
    #expect(try value("command = 'p'\ntrim = false").feedsAlike(lines))
    #expect(try !value("command = 'q'").feedsAlike(lines))
    let polled = try value("command = 'p'\nevery = '5 s'")
    #expect(try value("command = 'p'\nevery = '5 s'\nexpect_every = '1 h'").feedsAlike(polled) == false)
    #expect(try value("command = 'p'\nevery = '5 s'").feedsAlike(polled))
  }
}
