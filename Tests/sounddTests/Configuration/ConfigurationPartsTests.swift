import Foundation
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// A configuration of several files.
struct ConfigurationPartsTests {
  /// `c.toml` and `config.d/a.toml`, `config.d/b.toml` …
  private func text(_ file: String, _ parts: String...) -> ConfigurationText {
    let names = "abcdef".map { "config.d/\($0).toml" }
    return ConfigurationText(
      file: "c.toml", bytes: Array(file.utf8),
      parts: zip(names, parts).map { ConfigurationText.Part(file: $0, bytes: Array($1.utf8)) })
  }

  private func errors(_ text: ConfigurationText) -> [String] {
    ConfigurationDraft(text, environment: .test).errors.map(\.description)
  }

  private static let trigger = "[[trigger]]\nvalue='v'\nsound='x'\n"

  @Test func `triggers are appended, values are joined, in the order of the files`() throws {
    let configuration = try text(
      "[value.v]\n[[trigger]]\nvalue='v'\nsound='1'\n",
      "[output]\nrate=8000\n[value.w]\n[[trigger]]\nvalue='w'\nsound='2'",
      "[[trigger]]\nvalue='v'\nsound='3'\n[value.z]\nof='w'"
    ).configuration(.test)
    #expect(configuration.values.map(\.name.description) == ["v", "w", "z"])
    #expect(configuration.triggers.map(\.definition.sound) == [.sound("1"), .sound("2"), .sound("3")])
    #expect(configuration.triggers.map(\.definition.name) == ["v", "w", "v-2"])
    #expect(configuration.output.rate == 8000)
    #expect(configuration.triggers[1].location == TOMLLocation(line: 4, column: 1, file: "config.d/a.toml"))
  }

  @Test func `relative paths start from the folder of the configuration in parts, too`() throws {
    let configuration = try text("", "[value.v]\nfile='sub/f'\n" + Self.trigger).configuration(.test)
    let alone = try text("[value.v]\nfile='sub/f'\n" + Self.trigger).configuration(.test)
    #expect(configuration.values == alone.values)
  }

  @Test(arguments: [
    ("[output]\nrate=8000", "\n[output]\nchannels=1", "config.d/a.toml:2:2: output: is already at c.toml:1:2"),
    ("[value.v]\ntype='event'", "[value.v]\nmatch='a'", "config.d/a.toml:1:8: value.v: is already at c.toml:1:8"),
    ("[value]\nv.type='event'", "[value]\nw.type='event'", "config.d/a.toml:1:2: value: is already at c.toml:1:2"),
    ("value={v={type='event'}}", "[value.w]", "config.d/a.toml:1:2: value: is already at c.toml:1:1"),
    ("trigger=[]", "[[trigger]]\nvalue='v'\nsound='x'", "config.d/a.toml:1:3: trigger: is already at c.toml:1:1"),
    ("output.rate=8000", "output.channels=1", "config.d/a.toml:1:1: output: is already at c.toml:1:1"),
  ]) func `a table or a key in two files is an error that names both`(first: String, second: String, error: String) {
    #expect(errors(text(first, second)) == [error + ": remove one of the two"])
  }

  @Test func `all errors and warnings name their file`() throws {
    #expect(
      errors(
        text("x=1", "y=2\n[[trigger]]\nname='n'\nvalue='v'\nsound='x'", "\n[[trigger]]\nname='n'\nvalue='w'\nsound='x'")
      )
        == [
          "c.toml:1:1: x: unknown key", "config.d/a.toml:1:1: y: unknown key",
          "config.d/b.toml:3:6: trigger[2].name: 'n' is already the name of the trigger at line 3 of config.d/a.toml",
        ])
    // Of what is no TOML only the first problem of each file, and nothing else.
    #expect(
      errors(text("x=1", "a=\nb=", "=")) == [
        "config.d/a.toml:1:3: expected a value, found the end of the line",
        "config.d/b.toml:1:1: expected a key, found '='",
      ])
    // The place inside a string is found in the part's own text.
    #expect(
      errors(text("\n\n", "[value.v]\nmatch='a('\n"))[0].hasPrefix("config.d/a.toml:2:10: value.v.match: "))
    let warnings = try text(Self.trigger, "[value.unused]").configuration(.test).warnings(file: "c.toml")
    #expect(warnings.map(\.file) == ["config.d/a.toml"])
    #expect(warnings[0].description.hasPrefix("config.d/a.toml:1:1: value.unused: no trigger uses this value"))
  }

  @Test func `two parts that sound for the same changes are warned of, whatever the names and the sounds`() throws {
    func warnings(_ first: String, _ second: String) throws -> [String] {
      try text("", first, second).configuration(.test).warnings(file: "c.toml").map(\.description)
    }
    let mail = "[value.mail]\ncount='/tmp'\n[[trigger]]\nvalue='mail'\nwhen='increase'\nsound='x'\n"
    let other =
      "[value.n]\ntype='number'\n[value.inbox]\ncount='/tmp'\n[[trigger]]\nvalue=['inbox','n']\nname='n'\nwhen='increase'\nsound='y'\ndelay='1 s'"
    #expect(
      try warnings(mail, other) == [
        "config.d/b.toml:5:1: trigger[2]: sounds for the same changes of /tmp as the trigger at line 3 of config.d/a.toml, "
          + "so you hear both: remove one of the two"
      ])
    #expect(try warnings(mail, other.replacing("increase", with: "decrease")) == [])
    #expect(try warnings(mail, other.replacing("/tmp'", with: "/'")) == [])
    #expect(try warnings(mail + other, "") == [])
    // What plays the same is warned of once.
    #expect(try warnings(mail, mail.replacing("mail", with: "inbox")).count == 1)
    // A copy of a value changes as the value does; contents are compared.
    let git = "[value.git]\ntype='event'\n[[trigger]]\nvalue='git'\nto='commit'\nsound='x'\n"
    let hook = "[value.hook]\nof='git'\ntype='event'\n[[trigger]]\nvalue='hook'\nsounds={commit='x',push='y'}\n"
    #expect(try warnings(git, hook).count == 1)
    #expect(try warnings(git, hook.replacing("commit", with: "merge")) == [])
  }

  /// A part that is called as if `soundd add b` had written it.
  private static func recipe(_ triggers: String) -> String { "# A recipe.\n#\n# soundd add b\n\n" + triggers }

  private static let agents = recipe(
    "[value.'agent/*']\n[[trigger]]\nname='done'\nvalue='agent/*'\nto='done'\nsound='x'\n[[trigger]]\nname='wait'\nvalue='agent/*'\nto='waiting'\nsound='y'\n"
  )

  @Test(arguments: [
    // README has this one.
    ("value='agent/*'\nsounds={done='success',failed='error'}", 1), ("value='agent/*'\nto='failed'\nsound='z'", 0),
    ("value='agent/7'\nsound='z'", 2), ("value='agent/7'\nto='waiting'\nsound='z'", 1),
    ("value='*/7'\nmatches='^don'\nsound='z'", 1),
    ("value='agent/*'\nfrom='x'\nto='working'\nsound='z'", 0), ("value='agents'\nsound='z'", 0),
    ("value='agent/*'\nto='done'\nsay='{value}'", 0), ("value='agent/*'\nto='done'\nsound='z'\nsay='{value}'", 1),
  ]) func `a trigger of one's own that sounds when a recipe's does is warned of`(trigger: String, count: Int) throws {
    let own = "[[trigger]]\nname='own'\n\(trigger)\n"
    let warnings = try text(own, "", Self.agents).configuration(.test).warnings(file: "c.toml").filter {
      $0.code == .double
    }
    #expect(warnings.count == count, "\(warnings)")
    let place = "as the trigger at line 1 of c.toml, so you hear both: remove one of the two"
    #expect(
      warnings.allSatisfy { $0.description.hasPrefix("config.d/b.toml:") && $0.description.hasSuffix(place) },
      "\(warnings)")
    // Two files of one's own are a choice.
    let other = try text(own, "", Self.agents.replacing("soundd add b", with: "mine")).configuration(.test)
    #expect(other.warnings(file: "c.toml").filter { $0.code == .double } == [])
  }

  @Test func `other thresholds and other expressions are a choice`() throws {
    let part = Self.recipe(
      "[value.heat]\ntype='number'\n[[trigger]]\nname='r'\nvalue='heat'\nabove=80\nsound='x'\n[[trigger]]\nvalue='line'\nmatches='^a'\nsound='x'\n"
    )
    for own in ["value='heat'\nabove=90", "value='heat'\nbelow=10", "value='line'\nmatches='^b'"] {
      let configuration = try text("[[trigger]]\nname='own'\n\(own)\nsound='y'\n", "", part).configuration(.test)
      #expect(configuration.warnings(file: "c.toml").filter { $0.code == .double } == [], "\(own)")
    }
    let both = try text("[[trigger]]\nname='own'\nvalue='heat'\nabove=80\nsound='y'\n", "", part).configuration(.test)
    #expect(both.warnings(file: "c.toml").count { $0.code == .double } == 1)
  }

  @Test func `the shipped recipes together sound for no change twice`() throws {
    var all = ConfigurationText(file: "config.toml", bytes: BuiltInRecipes.first)
    all.parts = BuiltInRecipes.all.map {
      ConfigurationText.Part(file: "config.d/\($0.name).toml", bytes: Array($0.text.utf8))
    }
    let warnings = try all.configuration(.test).warnings(file: "config.toml")
    #expect(warnings.filter { $0.code == .double } == [])
  }

  // MARK: Files

  private static func folder(_ files: [String: String]) throws -> String {
    let folder = NSTemporaryDirectory() + "soundd-parts-\(UUID().uuidString)"
    for (name, text) in files {
      let file = URL(filePath: "\(folder)/\(name)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return folder
  }

  @Test func `parts are read in the order of their names, and nothing else of their folder`() throws {
    let folder = try Self.folder([
      "c.toml": "1", "config.d/b.toml": "b", "config.d/a.toml": "a", "config.d/Z.toml": "Z",
      "config.d/.hidden.toml": "=",
      "config.d/a.toml~": "=", "config.d/README": "=",
    ])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let text = try ConfigurationFile.text(folder + "/c.toml")
    #expect(
      text.parts.map { $0.file.dropFirst(folder.count) } == [
        "/config.d/Z.toml", "/config.d/a.toml", "/config.d/b.toml",
      ])
    #expect(text.parts.map(\.bytes) == [[90], [97], [98]])
    #expect(ConfigurationFile.folder(of: "c.toml") == "config.d")
    #expect(ConfigurationFile.folder(of: "sub/c.toml") == "sub/config.d")
    // Without the file itself, the parts are the configuration.
    try FileManager.default.removeItem(atPath: folder + "/c.toml")
    #expect(try ConfigurationFile.text(folder + "/c.toml").bytes == [])
    #expect(ConfigurationFile.first(of: ["/nowhere/c.toml", folder + "/c.toml"]) == folder + "/c.toml")
    #expect(throws: Failure.self) { try ConfigurationFile.locate(folder + "/c.toml", environment: .test) }
  }

  @Test func `too many or too large parts are refused with the limit`() throws {
    let many = try Self.folder(Dictionary(uniqueKeysWithValues: (0...100).map { ("config.d/\($0).toml", "") }))
    let large = try Self.folder([
      "config.d/a.toml": String(repeating: "#", count: 9 << 20),
      "config.d/b.toml": String(repeating: "#", count: 9 << 20),
    ])
    let file = try Self.folder(["config.d": ""])
    defer { for folder in [many, large, file] { try? FileManager.default.removeItem(atPath: folder) } }
    for (folder, code, text) in [
      (many, Failure.Code.badData, "/config.d has 101 parts, and a configuration may have 100: join some"),
      (large, .badData, "/c.toml and its parts have more than 16 MiB, which is too much for a configuration"),
      (file, .noInput, "/config.d: Not a directory"),
    ] {
      let failure = #expect(throws: Failure.self) { try ConfigurationFile.text(folder + "/c.toml") }
      #expect(failure?.code == code)
      #expect(failure?.description.hasSuffix(folder + text) == true, "\(failure?.description ?? "")")
    }
  }
}
