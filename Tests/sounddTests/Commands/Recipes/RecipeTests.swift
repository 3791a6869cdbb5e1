import Foundation
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// Recipes come and go without a trace, on a real home.
struct RecipeTests {
  static let all = [
    "agent", "alarm", "battery", "build", "cron", "desktop", "disk", "fleet", "geiger", "git", "http", "i3",
    "kubernetes", "log",
    "mail", "mqtt", "notifications", "progress", "prometheus", "shell", "speech", "ssh", "steps", "systemd",
    "temperature",
    "timer", "ups",
  ]
  static let choices = all.map { [$0] } + [all]

  @Test func `all shipped recipes are found, and each has a few words`() throws {
    let recipes = try RecipeRig().shelf.recipes
    #expect(recipes.map(\.name) == Self.all)
    #expect(recipes.allSatisfy { $0.about.count > 5 })
    #expect(!recipes.flatMap(\.advice).contains { $0.text.contains("does not know") })
    #expect(
      throws: Failure(.noInput, "there is no recipe 'agnet' (did you mean 'agent'?); 'soundd recipes' lists them")
    ) {
      _ = try RecipeRig().add(["agnet"])
    }
  }

  @Test(arguments: choices, [false, true])
  func `what was added is removed to the byte, and to add twice changes nothing`(names: [String], isFilled: Bool) throws
  {
    let rig = try RecipeRig()
    if isFilled { try rig.fill() }
    let before = try rig.contents()
    try rig.run(rig.add(names))
    let added = try rig.contents()
    for name in names { #expect(added[".config/soundd/config.d/\(name).toml"] != nil) }
    #expect(
      try ConfigurationFile.draft("\(rig.home)/.config/soundd/config.toml", environment: rig.shelf.environment).errors
        == [])
    #expect(try rig.add(names).actions == [])
    if !isFilled {
      for name in names { #expect(throws: Never.self) { try rig.run(rig.remove([name])) } }
    } else {
      try rig.run(rig.remove(names))
    }
    #expect(try rig.contents() == before)
  }

  @Test(arguments: choices, [false, true])
  func `interrupted after any step, add finishes and remove cleans up`(names: [String], isFilled: Bool) throws {
    let rig = try RecipeRig()
    if isFilled { try rig.fill() }
    let before = try rig.contents()
    let actions = try rig.add(names).actions
    guard case .write("\(rig.home)/.local/state/soundd/recipes", _, _)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    try rig.run(rig.add(names))
    let after = try rig.contents()
    try rig.run(rig.remove(names))
    for step in 1...actions.count {
      for action in actions.prefix(step) { try rig.shelf.perform(action) }
      if step % 2 == 0 {
        try rig.run(rig.add(names))
        #expect(try rig.contents() == after, "add \(step)")
      }
      // The removal is interrupted, too.
      let removal = try rig.remove(names).actions
      for action in removal.prefix(step % removal.count) { try rig.shelf.perform(action) }
      // The ledger is gone before its own folders.
      if let again = try? rig.remove(names) { try rig.run(again) } else { continue }
      #expect(try rig.contents() == before, "remove \(step)")
    }
  }

  @Test func `settings keep their members, their order and what was edited since`() throws {
    let rig = try RecipeRig()
    try rig.fill()
    try rig.run(rig.add(["agent"]))
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
    try rig.run(plan)
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
    ("{\"a\": 1,}", "is not valid JSON"), ("[]", "it is of another kind"),
    ("{\"hooks\": {\"Stop\": 1}}", "'hooks.Stop' is of another kind"),
  ]) func `settings that cannot be extended stay, are named, and keep nothing else from being installed`(
    text: String, reason: String
  ) throws {
    let rig = try RecipeRig()
    try rig.write(".claude/settings.json", text)
    let plan = try rig.add(["agent"])
    #expect(plan.refusals.map(\.recipe) == ["agent"])
    let failure = #expect(throws: Failure.self) { try plan.checkRefusals() }
    #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    #expect(failure?.description.hasSuffix("; it stays as it is") == true)
    try rig.run(plan)
    #expect(try rig.text(".claude/settings.json") == text)
    #expect(rig.exists(".codex/hooks.json") && rig.exists(".config/soundd/config.d/agent.toml"))
    #expect(rig.exists(".local/share/soundd/bin/soundd-agent"))
  }

  @Test(arguments: [
    (".config/soundd/config.d/agent.toml", "# mine", "is there already and is not soundd's"),
    (
      ".config/soundd/config.toml", "[value.'agent/*']\n[[trigger]]\nvalue='agent/*'\nsound='x'",
      "value.\"agent/*\": is already at"
    ),
    (".config/soundd/config.toml", "nonsense", "expected '='"),
  ]) func `what does not fit is refused before anything is written`(file: String, text: String, reason: String) throws {
    let rig = try RecipeRig()
    try rig.write(file, text)
    let before = try rig.contents()
    let failure = #expect(throws: Failure.self) { try rig.run(rig.add(["agent"])) }
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
        case .makeFolder, .removeFolder, .removeEmptyFile, .set, .removeSection, .unset: break
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

  @Test(arguments: [Recipe.Kind.file, .line, .merge])
  func `an update that is interrupted after any step is finished by the next, and remove takes out both`(
    kind: Recipe.Kind
  ) throws {
    func text(_ version: Int) -> String {
      kind == .merge ? "{\"soundd\": {\"v\(version)\": true}}" : "# soundd \(version)"
    }
    let original = kind == .merge ? "{\n  \"mine\": 1\n}\n" : "# mine\n"
    var files: [String: [UInt8]] = [:]
    func plan() throws -> RecipePlan {
      let ledger = try files["/ledger"].map(RecipeLedger.init) ?? RecipeLedger()
      return RecipePlan(ledgerPath: "/ledger", ledger: ledger) { files[$0].map { .file($0, mode: 0o644) } }
    }
    func adding(_ version: Int) throws -> RecipePlan {
      var plan = try plan()
      try plan.add([RecipePlan.Piece(recipe: "r", path: "/s", kind: kind, bytes: Array(text(version).utf8))])
      return plan
    }
    func perform(_ actions: some Sequence<RecipePlan.Action>) {
      for action in actions {
        switch action {
        case .write(let path, let bytes, _): files[path] = bytes
        case .remove(let path): files[path] = nil
        default: break
        }
      }
    }
    func state() -> String { files["/s"].map { String(decoding: $0, as: UTF8.self) } ?? "" }
    var steps = 1
    for step in 0... where step <= steps {
      files = kind == .file ? [:] : ["/s": Array(original.utf8)]
      perform(try adding(1).actions)
      let update = try adding(2).actions
      steps = update.count
      perform(update.prefix(step))
      let interrupted = files
      perform(try adding(2).actions)
      #expect(state().contains(kind == .merge ? "v2" : "soundd 2"), "step \(step): \(state())")
      #expect(!state().contains(kind == .merge ? "v1" : "soundd 1"), "step \(step): \(state())")
      for start in [files, interrupted] {
        files = start
        var removal = try plan()
        removal.remove(["r"])
        perform(removal.actions)
        #expect(state() == (kind == .file ? "" : original), "step \(step)")
      }
      if step == steps { break }
    }
  }

  // MARK: The ledger

  /// What the literal ledgers below say.
  private static let ledger: RecipeLedger = {
    var ledger = RecipeLedger()
    ledger.folders = ["/home/ada/.local/share/soundd", "/home/ada/.local/share/soundd/bin"]
    ledger.items = [
      .init(
        recipe: "agent", path: "/home/ada/.claude/settings.json", kind: .merge, digest: "0b", addition: #"{"hooks":1}"#,
        before: .init(digest: "0a", addition: #"{"hooks":0}"#)),
      .init(recipe: "timer", path: "/home/ada/.config/soundd/config.d/timer.toml", kind: .file, digest: "0c"),
    ]
    return ledger
  }()
  private static let lines = #"""
    {"soundd_recipes":1,"sha256":"dbc717076c5a9cb06c077bfeecabdccc2c089715b4293f8b567fc1fabcb01041"}
    {"folder":"/home/ada/.local/share/soundd"}
    {"folder":"/home/ada/.local/share/soundd/bin"}
    {"recipe":"agent","path":"/home/ada/.claude/settings.json","kind":"merge","digest":"0b","addition":"{\"hooks\":1}","digest_before":"0a","addition_before":"{\"hooks\":0}"}
    {"recipe":"timer","path":"/home/ada/.config/soundd/config.d/timer.toml","kind":"file","digest":"0c","addition":""}

    """#

  @Test func `a ledger of 0.2.0 is read, and has a checksum when it is written again`() throws {
    let old = #"""
      {"folders":["/home/ada/.local/share/soundd","/home/ada/.local/share/soundd/bin"],"items":[{"recipe":"agent","path":"/home/ada/.claude/settings.json","kind":"merge","digest":"0b","addition":"{\"hooks\":1}","digest_before":"0a","addition_before":"{\"hooks\":0}"},{"recipe":"x","path":"/x","kind":"of later","digest":"","addition":""},{"recipe":"timer","path":"/home/ada/.config/soundd/config.d/timer.toml","kind":"file","digest":"0c","addition":""}]}

      """#
    let ledger = try RecipeLedger(Array(old.utf8))
    #expect(ledger == Self.ledger)
    #expect(String(decoding: ledger.bytes, as: UTF8.self) == Self.lines)
    #expect(try RecipeLedger(ledger.bytes) == Self.ledger)
    #expect(try RecipeLedger(Array(#"{"folders":[],"items":[]}"#.utf8)) == RecipeLedger())
    #expect(try RecipeLedger(RecipeLedger().bytes) == RecipeLedger())
  }

  @Test func `a ledger of which any byte is another one is refused`() throws {
    let bytes = Array(Self.lines.utf8)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(throws: Record.Problem.self, "byte \(index)") { try RecipeLedger(damaged) }
    }
  }

  @Test(arguments: [
    ("", "is damaged (its checksum is wrong)"), ("{", "is damaged (its checksum is wrong)"),
    (#"{"folders":[],"items":[{"recipe":"a"}]}"#, "is damaged (its checksum is wrong)"),
    ("{\"soundd_recipes\":1,\"sha256\":\"00\"}\n", "is damaged (its checksum is wrong)"),
    ("{\"soundd_recipes\":7}\n", "is of a newer soundd (version 7, and this one knows 1)"),
  ])
  func `a damaged ledger is named, and nothing is changed`(text: String, problem: String) throws {
    let rig = try RecipeRig()
    try rig.write(".local/state/soundd/recipes", text)
    let before = try rig.contents()
    let path = "\(rig.home)/.local/state/soundd/recipes"
    #expect(throws: Failure(.badData, "\(path) \(problem); it says what 'soundd add' has installed")) {
      try rig.add(["timer"])
    }
    #expect(try rig.contents() == before)
  }

  @Test func `hooks that were deleted and added again go with the others`() throws {
    let rig = try RecipeRig()
    try rig.write(".claude/settings.json", "{\"a\": 1}\n")
    try rig.run(rig.add(["agent"]))
    func edit(_ change: (inout [String: Any]) -> Void) throws {
      let text = try rig.text(".claude/settings.json")
      var object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      change(&object)
      try rig.write(
        ".claude/settings.json", String(decoding: JSONSerialization.data(withJSONObject: object), as: UTF8.self))
    }
    try edit { object in
      var hooks = object["hooks"] as? [String: Any]
      hooks?["Stop"] = nil
      (object["hooks"], object["mine"]) = (hooks, true)
    }
    try rig.run(rig.add(["agent"]))
    #expect(try rig.text(".claude/settings.json").contains("Stop"))
    let removal = try rig.remove(["agent"])
    try rig.run(removal)
    let rest = try rig.text(".claude/settings.json")
    #expect(!rest.contains("soundd") && rest.contains("mine"), "\(rest)")
    #expect(!rig.exists(".claude/settings.json.before-soundd"))
  }

  @Test func `a hook that was edited stays, and is named`() throws {
    let rig = try RecipeRig()
    try rig.write(".claude/settings.json", "{}\n")
    try rig.run(rig.add(["agent"]))
    let edited = try rig.text(".claude/settings.json").replacingOccurrences(of: "soundd-agent", with: "soundd-agent -x")
    try rig.write(".claude/settings.json", edited)
    let removal = try rig.remove(["agent"])
    #expect(
      removal.notes.contains { $0.hasPrefix("\(rig.home)/.claude/settings.json was edited, and stays") },
      "\(removal.notes)")
  }

  @Test func `a file of the user that has the name of the copy is not touched`() throws {
    let rig = try RecipeRig()
    try rig.write(".claude/settings.json", "{}\n")
    try rig.write(".claude/settings.json.before-soundd", "mine\n")
    let failure = #expect(throws: Failure.self) { try rig.add(["agent"]).checkRefusals() }
    #expect(failure?.description.contains("settings.json.before-soundd is there already and is not soundd's") == true)
  }

  @Test func `a link to settings stays a link`() throws {
    let rig = try RecipeRig()
    try rig.fill()
    try rig.write("dotfiles/settings.json", "{}")
    try FileManager.default.removeItem(atPath: rig.home + "/.claude/settings.json")
    try FileManager.default.createSymbolicLink(
      atPath: rig.home + "/.claude/settings.json", withDestinationPath: rig.home + "/dotfiles/settings.json")
    let before = try rig.contents()
    try rig.run(rig.add(["agent"]))
    #expect(try rig.text("dotfiles/settings.json").contains("soundd"))
    try rig.run(rig.remove(["agent"]))
    #expect(try rig.contents() == before)
  }

  @Test func `add prints nothing twice, no warning about folders that it makes, and nothing if all is there`() throws {
    let rig = try RecipeRig()
    let plan = try rig.add(["build", "cron", "log", "build"])
    let paths = plan.actions.compactMap { if case .write(let path, _, _) = $0 { path } else { nil } }
    #expect(Set(paths).count == paths.count, "\(paths)")
    #expect(!plan.notes.contains { $0.hasPrefix("warning: ") && $0.contains(" folder") }, "\(plan.notes)")
    try rig.run(plan)
    let again = try rig.add(["build", "cron", "log"])
    #expect(again.actions == [] && again.notes == [])
  }

  @Test func `remove names only what is there, and how a unit that it removes ends`() throws {
    let rig = try RecipeRig()
    try rig.run(rig.add(["ssh", "systemd", "agent"]))
    let plan = try rig.remove(["ssh", "systemd", "agent"])
    for case .remove(let path) in plan.actions { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
    #expect(
      plan.notes == [
        "then, if you enabled it: systemctl --user stop 'soundd-ssh@*'; systemctl --user disable soundd-ssh@.service"
      ])
  }

  @Test func `a file that holds no more than what was added goes, too`() throws {
    let rig = try RecipeRig()
    try rig.run(rig.add(["agent"]))
    try rig.write(".claude/settings.json", try rig.text(".claude/settings.json") + "\n\n")
    try rig.run(rig.remove(["agent"]))
    #expect(try rig.contents() == [:])
  }

  @Test func `a settings file that is gone, or that is a link now, is no obstacle`() throws {
    let rig = try RecipeRig()
    try rig.fill()
    try rig.run(rig.add(["agent"]))
    try FileManager.default.removeItem(atPath: rig.home + "/.claude/settings.json")
    try FileManager.default.removeItem(atPath: rig.home + "/.config/soundd/config.d/agent.toml")
    try FileManager.default.createSymbolicLink(
      atPath: rig.home + "/.config/soundd/config.d/agent.toml", withDestinationPath: "/nowhere")
    let plan = try rig.remove(["agent"])
    try rig.run(plan)
    #expect(plan.notes.count == 1 && plan.notes[0].contains("agent.toml was edited, and stays"), "\(plan.notes)")
    #expect(!FileManager.default.fileExists(atPath: rig.home + "/.claude/settings.json.before-soundd"))
  }

  @Test func `the paths of this machine replace those of the recipe`() {
    let recipe = Recipe(
      name: "r",
      text: "# A title, long. More\n# soundd add r\n#: path /a or /b/*\n#: path /c\nfile = \"/a/x\"  # /a\n")
    #expect(recipe.about == "A title, long")
    #expect(
      Recipe(name: "r", text: "# Units that\n# fail: a job.\n# More.\n#\n# soundd add r\n").about
        == "Units that fail: a job")
    #expect(recipe.uses == ["/a", "/b/*"] && recipe.paths == [["/a", "/b/*"], ["/c"]])
    #expect(
      recipe.text(replacing: ["/a": "/b/1"]) == "# A title, long. More\n# soundd add r\nfile = \"/b/1/x\"  # /a\n")
  }
}
