import Foundation
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// What `soundd add` changes without consent: nothing that belongs to another program.
struct RecipeConsentTests {
  /// The folders below the home in which soundd writes without asking.
  private static let own = [".config/soundd/", ".local/share/soundd/", ".local/state/", ".cache/"]

  private static func isOwn(_ name: String) -> Bool {
    let unit = ".config/systemd/user/soundd"
    return own.contains { name.hasPrefix($0) || $0.hasPrefix(name + "/") } || name.hasPrefix(unit)
  }

  @Test(arguments: RecipeTests.choices)
  func `without consent only soundd's own files are written, and with it the rest follows`(names: [String]) throws {
    let rig = try RecipeRig()
    try rig.fill()
    let before = try rig.contents()
    let plan = try rig.add(names) { _ in false }
    try rig.run(plan)
    let between = try rig.contents()
    for (name, content) in between where before[name] != content && content != "folder" {
      #expect(Self.isOwn(name), "\(name)")
    }
    for name in names { #expect(between[".config/soundd/config.d/\(name).toml"] != nil) }
    // The same without consent changes nothing, and says the same.
    let again = try rig.add(names) { _ in false }
    #expect(again.actions == [] && again.pending == plan.pending)
    try rig.run(rig.add(names))
    #expect(try rig.add(names).pending == [])
    let other = try RecipeRig()
    try other.fill()
    try other.run(other.add(names))
    #expect(Set(try rig.contents().keys) == Set(try other.contents().keys))
    try rig.run(rig.remove(names))
    #expect(try rig.contents() == before)
  }

  @Test func `a change is shown in words`() throws {
    let rig = try RecipeRig()
    try rig.fill()
    let changes = try rig.add(["agent", "git", "shell"]) { _ in false }.pending
    let lines = Dictionary(changes.map { ($0.path.dropFirst(rig.home.count + 1), $0.lines) }) { first, _ in first }
    let command = "~/.local/share/soundd/bin/soundd-agent 2>/dev/null; cat >/dev/null"
    #expect(
      lines[".claude/settings.json"] == [
        "+ hooks.UserPromptSubmit, hooks.PostToolUse, hooks.PostToolUseFailure, hooks.Notification, hooks.Stop, hooks.StopFailure, "
          + "hooks.SessionEnd: {\"hooks\": [{\"type\": \"command\", \"command\": \"\(command)\", \"timeout\": 2}]}"
      ], "\(lines)")
    #expect(lines[".bashrc"] == ["+ . \"${XDG_CONFIG_HOME:-$HOME/.config}/soundd/soundd.bash\""])
    #expect(
      lines[".gitconfig"]?.prefix(2) == [
        "+ hook.soundd-post-commit.command = \(rig.home)/.local/share/soundd/bin/soundd-hook post-commit 2>/dev/null || :",
        "+ hook.soundd-post-commit.event = post-commit",
      ])
    #expect(lines[".config/opencode/plugins/soundd.js"]?.count == 1)
  }

  @Test func `consent to one file is no consent to another`() throws {
    let rig = try RecipeRig()
    try rig.fill()
    let plan = try rig.add(["agent"]) { $0.path.hasSuffix("hooks.json") }
    try rig.run(plan)
    #expect(plan.pending.map { $0.path.split(separator: "/").last } == ["settings.json", "soundd.js"])
    #expect(try rig.text(".codex/hooks.json").contains("soundd-agent"))
    #expect(try !rig.text(".claude/settings.json").contains("soundd"))
    // Only what was done has a next step.
    #expect(plan.notes.filter { $0.hasPrefix("then: ") }.count == 1)
  }

  @Test func `a folder of settings is no program, and what is left out is named`() throws {
    let rig = try RecipeRig(["codex"], hasNewGit: false)
    try rig.fill()
    let plan = try rig.add(["agent"])
    try rig.run(plan)
    #expect(try !rig.text(".claude/settings.json").contains("soundd"))
    #expect(!rig.exists(".config/opencode"))
    #expect(try rig.text(".codex/hooks.json").contains("soundd-agent"))
    #expect(
      plan.notes.contains("left out, because it is not installed: claude, opencode; once it is: soundd add agent"),
      "\(plan.notes)")
    // It is installed now, where its installer puts it.
    try rig.write(".claude/local/claude", "#!/bin/sh\n", mode: 0o755)
    try rig.run(rig.add(["agent"]))
    #expect(try rig.text(".claude/settings.json").contains("soundd-agent"))
    // What is not found this time keeps its hooks.
    try FileManager.default.removeItem(atPath: rig.home + "/.claude/local")
    #expect(try rig.add(["agent"]).actions == [])
  }

  @Test func `a recipe of programs that are not there is soundd's own part`() throws {
    let rig = try RecipeRig([], hasNewGit: false)
    for name in ["agent", "git", "shell"] { try rig.run(rig.add([name])) }
    #expect(rig.exists(".local/share/soundd/bin/soundd-agent") && rig.exists(".config/soundd/config.d/git.toml"))
    #expect(!rig.exists(".claude") && !rig.exists(".gitconfig") && !rig.exists(".config/fish"))
  }

  @Test func `geiger and log fit no machine by themselves, and others those that have their programs`() throws {
    let none = try RecipeRig([], hasNewGit: false)
    try none.fill()
    let names = Set(["agent", "git", "geiger", "log", "i3", "ups", "prometheus", "mail"])
    func fitting(_ rig: RecipeRig) throws -> [String] {
      let shelf = try rig.shelf
      return shelf.recipes.filter(shelf.fits).map(\.name).filter(names.contains)
    }
    #expect(try fitting(none) == [])
    let all = try RecipeRig(["opencode", "sway", "upsc"])
    try all.write("Mail/new/1", "x")
    #expect(try fitting(all) == ["agent", "git", "i3", "mail", "ups"])
  }

  @Test(arguments: [
    ("\n", "{\n  \"hooks\": {"), ("", "{\n  \"hooks\": {"), (" \r\n\t", "{\n  \"hooks\": {"),
    ("\u{FEFF}{\n  \"a\": 1\n}\n", "\u{FEFF}{\n  \"a\": 1,\n  \"hooks\": {"),
    ("\u{FEFF}\n", "\u{FEFF}{\n  \"hooks\": {"), ("{\r\n\t\"a\": 1\r\n}\r\n", "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n"),
  ]) func `settings of one line feed, with a byte order mark or with CRLF are extended and come back`(
    before: String, after: String
  ) throws {
    let rig = try RecipeRig()
    try rig.write(".claude/settings.json", before)
    try rig.run(rig.add(["agent"]))
    // As bytes, because Foundation takes the mark off a text.
    let file = URL(filePath: rig.home + "/.claude/settings.json")
    #expect(try Data(contentsOf: file).starts(with: after.utf8))
    #expect(try rig.add(["agent"]).actions == [])
    try rig.run(rig.remove(["agent"]))
    #expect(try Data(contentsOf: file) == Data(before.utf8))
  }

  @Test func `scripts are in soundd's own folder, and hooks name it wherever it is`() throws {
    let rig = try RecipeRig()
    let data = rig.home + "/my \"data\""
    rig.variables["XDG_DATA_HOME"] = data
    try rig.run(rig.add(["agent", "cron", "fleet"]))
    #expect(FileManager.default.isExecutableFile(atPath: data + "/soundd/bin/soundd-agent"))
    let settings = try JSONTree(Array(rig.text(".claude/settings.json").utf8)).leaves.map(\.text).joined(
      separator: "\n")
    #expect(settings.contains("'\(rig.home)/my \\\"data\\\"/soundd/bin'/soundd-agent 2>/dev/null"), "\(settings)")
    #expect(try rig.text(".config/soundd/config.d/cron.toml").contains("'\(data)/soundd/bin'/report backup"))
    #expect(
      try rig.text(".config/soundd/config.d/fleet.toml").contains("[\"$XDG_DATA_HOME/soundd/bin/soundd-fleet-listen\"]")
    )
  }

  @Test func `what 0.2 has installed elsewhere moves with the next add`() throws {
    let rig = try RecipeRig()
    let old = "#!/bin/sh\necho old\n"
    var items: [(recipe: String, path: String, kind: String, digest: String, addition: String)] = []
    for (recipe, name) in [("timer", "timer"), ("cron", "report"), ("agent", "soundd-agent")] {
      try rig.write(".local/bin/\(name)", old, mode: 0o755)
      items.append((recipe, "\(rig.home)/.local/bin/\(name)", "file", RecipeLedger.digest(Array(old.utf8)), ""))
    }
    try rig.writeOldLedger(items)
    // The user has edited this one.
    try rig.write(".local/bin/report", "#!/bin/sh\n", mode: 0o755)
    let plan = try rig.add(["cron", "timer"])
    try rig.run(plan)
    #expect(!rig.exists(".local/bin/timer") && rig.exists(".local/share/soundd/bin/timer"))
    #expect(rig.exists(".local/bin/report"))
    let place = "\(rig.home)/.local/share/soundd/bin/timer"
    #expect(
      plan.notes.contains(
        "\(rig.home)/.local/bin/timer is \(place) now: change what else runs it, such as your crontab"), "\(plan.notes)"
    )
    // The hooks still run the old script until their change is agreed to.
    try rig.run(rig.add(["agent"]) { _ in false })
    #expect(rig.exists(".local/bin/soundd-agent"))
    try rig.run(rig.add(["agent"]))
    #expect(!rig.exists(".local/bin/soundd-agent"))
    #expect(try rig.add(["agent", "cron", "timer"]).actions == [])
  }

  @Test func `an empty folder that another recipe needs stays`() throws {
    let rig = try RecipeRig()
    try rig.run(rig.add(["cron", "build"]))
    try rig.run(rig.remove(["build"]))
    #expect(rig.exists(".local/state/jobs") && !rig.exists(".cache/results"))
  }
}
