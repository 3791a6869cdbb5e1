import Foundation
import SoundTrigger
import Testing

@testable import soundd

/// Recipes come and go without a trace, on a real home.
struct RecipeTests {
  /// A home in which recipes are installed by the very code of the commands.
  private final class Rig {
    let home = NSTemporaryDirectory() + "soundd-recipes-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    var shelf: RecipeShelf {
      get throws {
        let environment = SystemEnvironment(
          variables: ["HOME": home], workingDirectory: home,
          executable: Repository.root.appending(path: ".build/debug/soundd").path)
        return try RecipeShelf(nil, environment: environment)
      }
    }

    func write(_ name: String, _ text: String) throws {
      let file = URL(filePath: "\(home)/\(name)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: "\(home)/\(name)", encoding: .utf8) }

    /// What recipes may change.
    func fill() throws {
      try write(
        ".claude/settings.json",
        "{\n    \"model\": \"x\",\n    \"hooks\": {\"Stop\": [{\"hooks\": []}], \"Other\": [1.50]}}")
      try write(".codex/hooks.json", "{}\n")
      try write(".gitconfig", "[user]\n\tname = N")
      for name in [".bashrc", ".zshrc", ".config/i3/config", ".config/sway/config"] { try write(name, "# mine\n") }
      try write(".config/soundd/config.toml", "[value.mine]\n[[trigger]]\nvalue = \"mine\"\nsound = \"tick\"\n")
      try write(".local/bin/other", "x")
    }

    /// Everything there is, with modes and the targets of links.
    func contents() throws -> [String: String] {
      var contents: [String: String] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: home) {
        let path = "\(home)/\(name)"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let mode = attributes[.posixPermissions] as? Int ?? 0
        switch attributes[.type] as? FileAttributeType {
        case .typeSymbolicLink?: contents[name] = try FileManager.default.destinationOfSymbolicLink(atPath: path)
        case .typeDirectory?: contents[name] = "folder"
        default: contents[name] = "\(mode) " + (try Data(contentsOf: URL(filePath: path))).base64EncodedString()
        }
      }
      return contents
    }

    func add(_ names: [String]) throws -> RecipePlan { try shelf.planAdding(names) }

    func remove(_ names: [String]) throws -> RecipePlan { try shelf.planRemoving(names) }
  }

  private static let all = [
    "agent", "alarm", "battery", "build", "cron", "desktop", "disk", "fleet", "geiger", "git", "http", "i3",
    "kubernetes", "log",
    "mail", "mqtt", "notifications", "progress", "prometheus", "shell", "speech", "ssh", "steps", "systemd",
    "temperature",
    "timer", "ups",
  ]
  static let choices = all.map { [$0] } + [all]

  @Test func `all shipped recipes are found, and each has a few words`() throws {
    let recipes = try Rig().shelf.recipes
    #expect(recipes.map(\.name) == Self.all)
    #expect(recipes.allSatisfy { $0.about.count > 5 })
    #expect(!recipes.flatMap(\.advice).contains { $0.contains("does not know") })
    #expect(
      throws: Failure(.noInput, "there is no recipe 'agnet' (did you mean 'agent'?); 'soundd recipes' lists them")
    ) {
      _ = try Rig().add(["agnet"])
    }
  }

  @Test(arguments: choices, [false, true])
  func `what was added is removed to the byte, and to add twice changes nothing`(names: [String], isFilled: Bool) throws
  {
    let rig = try Rig()
    if isFilled { try rig.fill() }
    let before = try rig.contents()
    try rig.add(names).run()
    let added = try rig.contents()
    for name in names { #expect(added[".config/soundd/config.d/\(name).toml"] != nil) }
    #expect(
      try ConfigurationFile.draft("\(rig.home)/.config/soundd/config.toml", environment: rig.shelf.environment).errors
        == [])
    #expect(try rig.add(names).actions == [])
    if !isFilled {
      for name in names { #expect(throws: Never.self) { try rig.remove([name]).run() } }
    } else {
      try rig.remove(names).run()
    }
    #expect(try rig.contents() == before)
  }

  @Test(arguments: choices, [false, true])
  func `interrupted after any step, add finishes and remove cleans up`(names: [String], isFilled: Bool) throws {
    let rig = try Rig()
    if isFilled { try rig.fill() }
    let before = try rig.contents()
    let actions = try rig.add(names).actions
    guard case .write("\(rig.home)/.local/state/soundd/recipes", _, _)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    try rig.add(names).run()
    let after = try rig.contents()
    try rig.remove(names).run()
    for step in 1...actions.count {
      for action in actions.prefix(step) { try RecipeShelf.perform(action) }
      if step % 2 == 0 {
        try rig.add(names).run()
        #expect(try rig.contents() == after, "add \(step)")
      }
      // The removal is interrupted, too.
      let removal = try rig.remove(names).actions
      for action in removal.prefix(step % removal.count) { try RecipeShelf.perform(action) }
      // The ledger is gone before its own folders.
      if let again = try? rig.remove(names) { try again.run() } else { continue }
      #expect(try rig.contents() == before, "remove \(step)")
    }
  }

  @Test func `settings keep their members, their order and what was edited since`() throws {
    let rig = try Rig()
    try rig.fill()
    try rig.add(["agent"]).run()
    let merged = try rig.text(".claude/settings.json")
    #expect(
      merged.hasPrefix(
        "{\n    \"model\": \"x\",\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": []\n            },\n"
      ))
    #expect(merged.contains("\"Other\": [\n            1.50\n        ]"))
    #expect(try rig.text(".claude/settings.json.before-soundd").contains("\"Other\": [1.50]}}"))
    try rig.write(".claude/settings.json", merged.replacing("\"x\"", with: "\"y\""))
    try rig.write(".config/soundd/config.d/agent.toml", "# mine\n")
    let plan = try rig.remove(["agent"])
    try plan.run()
    #expect(
      plan.notes == [
        "\(rig.home)/.config/soundd/config.d/agent.toml was edited, and stays: take out yourself what you do not need"
      ])
    #expect(try rig.text(".config/soundd/config.d/agent.toml") == "# mine\n")
    let rest = try rig.text(".claude/settings.json")
    #expect(rest.contains("\"model\": \"y\"") && rest.contains("1.50") && !rest.contains("soundd"), "\(rest)")
    #expect(!FileManager.default.fileExists(atPath: rig.home + "/.claude/settings.json.before-soundd"))
  }

  @Test(arguments: [
    (".claude/settings.json", "{\"a\": 1,}", "is no valid JSON"),
    (".claude/settings.json", "[]", "it is of another kind"),
    (".claude/settings.json", "{\"hooks\": {\"Stop\": 1}}", "'hooks.Stop' is of another kind"),
    (".config/soundd/config.d/agent.toml", "# mine", "is there already and is not soundd's"),
    (
      ".config/soundd/config.toml", "[value.'agent/*']\n[[trigger]]\nvalue='agent/*'\nsound='x'",
      "value.\"agent/*\": is already at"
    ),
    (".config/soundd/config.toml", "nonsense", "expected '='"),
  ]) func `what does not fit is refused before anything is written`(file: String, text: String, reason: String) throws {
    let rig = try Rig()
    try rig.write(file, text)
    let before = try rig.contents()
    let failure = #expect(throws: Failure.self) { try rig.add(["agent"]).run() }
    #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    #expect(failure?.description.hasSuffix("nothing was changed") == true)
    #expect(try rig.contents() == before)
  }

  @Test(
    arguments: [
      (.merge, nil, nil), (.merge, "{\"a\": 1}", nil), (.merge, "{\"a\": 1}", "{\n  \"a\": 1,\n  \"b\": 2\n}"),
      (.line, "# mine\n", nil), (.line, "# mine", "# mine\n# more\n"),
    ] as [(Recipe.Kind, String?, String?)])
  func `what a newer recipe adds takes the place of what the older one added`(
    kind: Recipe.Kind, mine: String?, edited: String?
  ) throws {
    var files = ["/s": mine].compactMapValues { $0.map { Array($0.utf8) } }
    var ledger = RecipeLedger()
    func perform(_ change: (inout RecipePlan) throws -> Void) throws {
      var plan = RecipePlan(ledgerPath: "/l", ledger: ledger) { path in files[path].map { .file($0, mode: 0o644) } }
      try change(&plan)
      for action in plan.actions {
        switch action {
        case .write(let path, let bytes, _): files[path] = bytes
        case .remove(let path): files[path] = nil
        case .makeFolder, .removeFolder: break
        }
      }
      ledger = plan.ledger
    }
    func text() -> String { String(decoding: files["/s"] ?? [], as: UTF8.self) }
    let versions = kind == .merge ? ["{\"h\": [\"old\"]}", "{\"h\": [\"new\"]}"] : ["old", "new"]
    for version in versions {
      if version == versions[1], let edited {
        files["/s"] = Array(
          (kind == .line ? edited + "old\n" : edited.dropLast(2) + ",\n  \"h\": [\n    \"old\"\n  ]\n}").utf8)
      }
      try perform { try $0.add([.init(recipe: "r", path: "/s", kind: kind, bytes: Array(version.utf8))]) }
    }
    #expect(text().contains("new") && !text().contains("old"), "\(text())")
    try perform { $0.remove(["r"]) }
    #expect(files["/s"] == (edited ?? mine).map { Array($0.utf8) }, "\(text())")
    #expect(files["/s.before-soundd"] == nil)
  }

  @Test func `a link to settings stays a link, and git's own hooks stay where they are`() throws {
    let rig = try Rig()
    try rig.fill()
    try rig.write("dotfiles/settings.json", "{}")
    try FileManager.default.removeItem(atPath: rig.home + "/.claude/settings.json")
    try FileManager.default.createSymbolicLink(
      atPath: rig.home + "/.claude/settings.json", withDestinationPath: rig.home + "/dotfiles/settings.json")
    try rig.write(".gitconfig", "[core]\n\thooksPath = ~/hooks\n")
    let before = try rig.contents()
    let plan = try rig.add(["agent", "git"])
    try plan.run()
    #expect(plan.notes.contains { $0.hasPrefix("git runs the hooks in \(rig.home)/hooks: ") }, "\(plan.notes)")
    #expect(try rig.text(".gitconfig") == "[core]\n\thooksPath = ~/hooks\n")
    #expect(try rig.text("dotfiles/settings.json").contains("soundd"))
    try rig.remove(["git", "agent"]).run()
    #expect(try rig.contents() == before)
  }

  @Test func `add prints nothing twice, no warning about folders that it makes, and nothing if all is there`() throws {
    let rig = try Rig()
    let plan = try rig.add(["build", "cron", "log", "build"])
    let paths = plan.actions.compactMap { if case .write(let path, _, _) = $0 { path } else { nil } }
    #expect(Set(paths).count == paths.count, "\(paths)")
    #expect(!plan.notes.contains { $0.hasPrefix("warning: ") && $0.contains(rig.home + "/.") }, "\(plan.notes)")
    try plan.run()
    let again = try rig.add(["build", "cron", "log"])
    #expect(again.actions == [] && again.notes == [])
  }

  @Test func `remove names only what is there, and how a unit that it removes ends`() throws {
    let rig = try Rig()
    try rig.add(["ssh", "systemd", "agent"]).run()
    let plan = try rig.remove(["ssh", "systemd", "agent"])
    for case .remove(let path) in plan.actions { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
    #expect(
      plan.notes == [
        "then, if you enabled it: systemctl --user stop 'soundd-ssh@*'; systemctl --user disable soundd-ssh@.service"
      ])
  }

  @Test func `a file that holds no more than what was added goes, too`() throws {
    let rig = try Rig()
    try rig.add(["agent"]).run()
    try rig.write(".claude/settings.json", try rig.text(".claude/settings.json") + "\n\n")
    try rig.remove(["agent"]).run()
    #expect(try rig.contents() == [:])
  }

  @Test func `a settings file that is gone, or that is a link now, is no obstacle`() throws {
    let rig = try Rig()
    try rig.fill()
    try rig.add(["agent"]).run()
    try FileManager.default.removeItem(atPath: rig.home + "/.claude/settings.json")
    try FileManager.default.removeItem(atPath: rig.home + "/.config/soundd/config.d/agent.toml")
    try FileManager.default.createSymbolicLink(
      atPath: rig.home + "/.config/soundd/config.d/agent.toml", withDestinationPath: "/nowhere")
    let plan = try rig.remove(["agent"])
    try plan.run()
    #expect(plan.notes.count == 1 && plan.notes[0].contains("agent.toml was edited, and stays"), "\(plan.notes)")
    #expect(!FileManager.default.fileExists(atPath: rig.home + "/.claude/settings.json.before-soundd"))
  }

  @Test func `the paths of this machine replace those of the recipe`() {
    let recipe = Recipe(
      name: "r", folder: "/f",
      text: "# A title, long. More\n# soundd add r\n#: path /a or /b/*\n#: path /c\nfile = \"/a/x\"  # /a\n")
    #expect(recipe.about == "A title, long")
    #expect(recipe.uses == ["/a", "/b/*"] && recipe.paths == [["/a", "/b/*"], ["/c"]])
    #expect(
      recipe.text(replacing: ["/a": "/b/1"]) == "# A title, long. More\n# soundd add r\nfile = \"/b/1/x\"  # /a\n")
  }
}
