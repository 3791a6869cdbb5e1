import Foundation
import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// How git comes to run soundd's hook, and never loses one of its own by it.
struct GitHooksTests {
  private let rig: RecipeRig
  private var script: String { rig.home + "/.local/share/soundd/bin/soundd-hook" }

  init() throws {
    rig = try RecipeRig()
    try rig.write(".gitconfig", "[user]\n\tname = N\n\temail = n@example.org\n")
  }

  /// Runs the real git in a repository below the home, which is made if it is missing.
  @discardableResult
  private func git(_ arguments: String..., in folder: String = "repo") throws -> (status: Int32, text: String) {
    let path = "\(rig.home)/\(folder)"
    if !FileManager.default.fileExists(atPath: path) {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try git("init", "-q", in: folder)
    }
    var variables = rig.variables
    variables["PATH"] = rig.programs + ":/usr/bin:/bin"
    let environment = SystemEnvironment(variables: variables, workingDirectory: rig.home)
    return try #require(environment.answer(of: ["/usr/bin/git", "-C", path] + arguments, withErrors: true))
  }

  private func commit() throws -> Int32 { try git("commit", "-q", "--allow-empty", "-m", "x").status }

  private func hook(_ name: String, _ text: String, mode: Int = 0o755, in folder: String = "repo/.git/hooks") throws {
    try git("status")
    try rig.write("\(folder)/\(name)", text, mode: mode)
  }

  // MARK: Git with hooks in its settings

  @Test func `a new git gets a name for each event, beside what is there, and loses only that`() throws {
    try rig.write(
      ".gitconfig", "[hook \"mine\"]\n\tevent = post-commit\n\tcommand = mine\n[core]\n\thooksPath = ~/hooks\n")
    let before = try rig.text(".gitconfig")
    try rig.run(rig.add(["git"]))
    for event in ["post-commit", "post-merge", "pre-push"] {
      #expect(try git("config", "--global", "hook.soundd-\(event).event").text == "\(event)\n")
      #expect(
        try git("config", "--global", "hook.soundd-\(event).command").text == "\(script) \(event) 2>/dev/null || :\n")
    }
    #expect(try rig.text(".gitconfig").hasPrefix(before))
    try rig.run(rig.remove(["git"]))
    #expect(try rig.text(".gitconfig") == before)
  }

  @Test func `settings that were edited since stay, and are named`() throws {
    try rig.run(rig.add(["git"]))
    try git("config", "--global", "hook.soundd-pre-push.command", "mine")
    let plan = try rig.remove(["git"])
    try rig.run(plan)
    #expect(try git("config", "--global", "hook.soundd-pre-push.command").text == "mine\n")
    #expect(try git("config", "--global", "hook.soundd-post-merge.command").status != 0)
    #expect(
      plan.notes.contains { $0.contains("hook.soundd-pre-push.command") && $0.contains("was edited") }, "\(plan.notes)")
  }

  @Test func `a file that git made for these settings goes with them`() throws {
    try FileManager.default.removeItem(atPath: rig.home + "/.gitconfig")
    try rig.run(rig.add(["git"]))
    #expect(rig.exists(".gitconfig"))
    try rig.run(rig.remove(["git"]))
    #expect(try rig.contents() == [:])
  }

  @Test func `settings of git that cannot be written are an error with git's reason`() throws {
    let plan = try rig.add(["git"])
    try rig.write(".gitconfig.lock", "")
    let failure = #expect(throws: Failure.self) { try rig.run(plan) }
    #expect(failure?.description.contains("git config --file ") == true, "\(failure?.description ?? "")")
    #expect(failure?.description.contains(".gitconfig") == true, "\(failure?.description ?? "")")
  }

  // MARK: Git with hooks in repositories

  @Test func `an old git gets no global setting, and a repository its hooks`() throws {
    try rig.useOldGit()
    let outside = try rig.add(["git"])
    try rig.run(outside)
    #expect(outside.pending == [] && outside.notes.contains { $0.contains("soundd add git --repository FOLDER") })
    #expect(try rig.text(".gitconfig") == "[user]\n\tname = N\n\temail = n@example.org\n")
    // In a repository, without the option.
    try git("status")
    rig.workingDirectory = rig.home + "/repo"
    try rig.run(rig.add(["git"]))
    for event in ["post-commit", "post-merge", "pre-push"] {
      #expect(
        try rig.text("repo/.git/hooks/\(event)")
          == "#!/bin/sh\nsoundd_status=$?; \(script) \(event) 2>/dev/null || :; (exit $soundd_status) # soundd add git\n"
      )
    }
    #expect(try commit() == 0)
    #expect(try rig.add(["git"]).actions == [])
    try rig.run(rig.remove(["git"], repository: rig.home + "/repo"))
    #expect(try git("status").status == 0)
    #expect(!rig.exists("repo/.git/hooks/post-commit") && rig.exists(".config/soundd/config.d/git.toml"))
    #expect(throws: Failure.self) { try rig.remove(["git"], repository: rig.home + "/repo") }
  }

  @Test func `a pre-commit that refuses still refuses, and hooks that are there run first and decide`() throws {
    try rig.useOldGit()
    let own = "#!/bin/sh\necho own >> ../own\nfalse"
    try hook("pre-commit", "#!/bin/sh\nexit 1\n")
    try hook("post-merge", own)
    try rig.run(rig.add(["git"], repository: rig.home + "/repo"))
    #expect(try commit() != 0)
    #expect(try rig.text("repo/.git/hooks/post-merge").hasPrefix(own + "\nsoundd_status"))
    let environment = SystemEnvironment(
      variables: ["PATH": "/usr/bin:/bin", "HOME": rig.home], workingDirectory: rig.home)
    let run = try #require(
      environment.answer(of: ["/bin/sh", "-c", "cd \(rig.home)/repo && .git/hooks/post-merge"], withErrors: true))
    #expect(run.status == 1 && run.text == "", "\(run)")
    // Even if soundd's script is gone.
    try FileManager.default.removeItem(atPath: script)
    let alone = try #require(
      environment.answer(of: ["/bin/sh", "-c", "cd \(rig.home)/repo && .git/hooks/post-commit"], withErrors: true))
    #expect(alone.status == 0 && alone.text == "", "\(alone)")
    try rig.run(rig.add(["git"], repository: rig.home + "/repo"))
    try rig.run(rig.remove(["git"]))
    #expect(try rig.text("repo/.git/hooks/post-merge") == own)
    #expect(try rig.text("repo/.git/hooks/pre-commit") == "#!/bin/sh\nexit 1\n")
  }

  @Test(arguments: [
    ("#!/usr/bin/env python3\n", 0o755, "it is not a shell script"), ("echo\n", 0o755, "it is not a shell script"),
    ("#!/bin/sh\nexit 0\n", 0o755, "it ends with 'exit'"),
    ("#!/bin/sh\nif true; then\n  exec pre-commit run\nfi\n", 0o755, "it has an 'exec'"),
    ("#!/bin/sh\necho\n", 0o644, "it is not executable"),
    ("#!/bin/sh\ncall_lefthook run \"$@\"\n", 0o755, "lefthook writes it"),
  ]) func `a hook to which no line can be added stays, and the line is printed`(
    text: String, mode: Int, reason: String
  ) throws {
    try rig.useOldGit()
    try hook("post-commit", text, mode: mode)
    let plan = try rig.add(["git"], repository: rig.home + "/repo")
    try rig.run(plan)
    #expect(try rig.text("repo/.git/hooks/post-commit") == text)
    let note = plan.notes.first { $0.hasPrefix("\(rig.home)/repo/.git/hooks/post-commit stays as it is: \(reason)") }
    #expect(note?.hasSuffix("\n  \(script) post-commit 2>/dev/null || :") == true, "\(plan.notes)")
    // The others are added.
    #expect(rig.exists("repo/.git/hooks/pre-push"))
  }

  @Test(arguments: [
    ("#!/bin/bash -e\nexec >&2\necho\n"), ("#! /usr/bin/env zsh\necho\n"), ("#!/bin/sh\nexit_with=1\n"),
  ])
  func `other shell scripts get a line`(text: String) throws {
    try rig.useOldGit()
    try hook("post-commit", text)
    try rig.run(rig.add(["git"], repository: rig.home + "/repo"))
    #expect(try rig.text("repo/.git/hooks/post-commit").hasPrefix(text + "soundd_status"))
  }

  @Test(arguments: ["husky", "lefthook", "tracked"])
  func `a folder of husky or lefthook, and a tracked one, are left alone`(kind: String) throws {
    try rig.useOldGit()
    try git("status")
    switch kind {
    case "husky":
      try rig.write("repo/.husky/_/post-commit", "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n", mode: 0o755)
      try git("config", "core.hooksPath", ".husky/_")
    case "lefthook": try rig.write("repo/lefthook.yml", "pre-commit:\n")
    default:
      try rig.write("repo/hooks/pre-commit", "#!/bin/sh\n", mode: 0o755)
      try git("add", "hooks")
      try git("config", "core.hooksPath", "hooks")
    }
    let before = try rig.contents().filter { $0.key.hasPrefix("repo/") && !$0.key.hasSuffix("index") }
    let plan = try rig.add(["git"], repository: rig.home + "/repo")
    try rig.run(plan)
    #expect(try rig.contents().filter { $0.key.hasPrefix("repo/") && !$0.key.hasSuffix("index") } == before)
    #expect(plan.notes.count { $0.contains(kind) && $0.contains("add this command to ") } == 3, "\(plan.notes)")
    let place = [
      "husky": "/repo/.husky/pre-push:", "lefthook": "/repo/lefthook.yml:", "tracked": "/repo/hooks/pre-push:",
    ]
    #expect(plan.notes.last?.contains(rig.home + (place[kind] ?? "?")) == true, "\(plan.notes)")
  }

  @Test func `a git that has become newer runs the hook once, not in each repository as well`() throws {
    try rig.useOldGit()
    try git("status")
    try rig.run(rig.add(["git"], repository: rig.home + "/repo"))
    try rig.useNewGit()
    try rig.run(rig.add(["git"]) { _ in false })
    #expect(rig.exists("repo/.git/hooks/post-commit"))
    try rig.run(rig.add(["git"]))
    #expect(!rig.exists("repo/.git/hooks/post-commit"))
    #expect(try git("config", "--global", "hook.soundd-pre-push.event").text == "pre-push\n")
  }

  @Test func `a folder that is in no repository is an error`() throws {
    try rig.useOldGit()
    let failure = #expect(throws: Failure.self) { try rig.add(["git"], repository: rig.home) }
    #expect(failure?.description.hasPrefix("\(rig.home) is not in a git repository") == true)
    #expect(failure?.description.contains(": fatal: ") == true, "git says why")
  }

  @Test func `the repository that is named counts, and not the one of the environment`() throws {
    try rig.useOldGit()
    try git("init", "-q", in: "other")
    try git("status")
    rig.variables["GIT_DIR"] = rig.home + "/other/.git"
    try rig.run(rig.add(["git"], repository: rig.home + "/repo"))
    #expect(rig.exists("repo/.git/hooks/post-commit") && !rig.exists("other/.git/hooks/post-commit"))
  }

  @Test func `a hook is known by one path, wherever in the repository it was added`() throws {
    try rig.useOldGit()
    try git("status")
    try FileManager.default.createDirectory(atPath: rig.home + "/repo/deep/er", withIntermediateDirectories: true)
    rig.workingDirectory = rig.home + "/repo/deep/er"
    try rig.run(rig.add(["git"]))
    try FileManager.default.removeItem(atPath: rig.home + "/repo/deep")
    rig.workingDirectory = rig.home
    try rig.run(rig.remove(["git"], repository: rig.home + "/repo"))
    #expect(!rig.exists("repo/.git/hooks/post-commit"))
  }

  // MARK: What 0.2 did

  /// The home as 0.2 left it: the hooks of all repositories are replaced.
  private func installOld() throws -> String {
    let hooks = rig.home + "/.config/git/hooks"
    let old = try rig.text(".gitconfig")
    let addition = "[core]\n\thooksPath = \(hooks)"
    var items: [(recipe: String, path: String, kind: String, digest: String, addition: String)] = []
    for event in ["post-commit", "post-merge", "pre-push"] {
      try rig.write(".config/git/hooks/\(event)", "#!/bin/sh\n", mode: 0o755)
      items.append(("git", "\(hooks)/\(event)", "file", RecipeLedger.digest(Array("#!/bin/sh\n".utf8)), ""))
    }
    try rig.write(".gitconfig.before-soundd", old)
    try rig.write(".gitconfig", old + addition + "\n")
    let digest = RecipeLedger.digest(Array((old + addition + "\n").utf8))
    items.append(("git", rig.home + "/.gitconfig", "line", digest, addition))
    try rig.writeOldLedger(folders: [rig.home + "/.config/git", hooks], items)
    try git("status")
    return old
  }

  @Test(arguments: [false, true])
  func `remove takes out the global hooksPath of 0.2, even if the file was edited since`(isEdited: Bool) throws {
    let old = try installOld()
    let doctor = { Doctor(environment: SystemEnvironment(variables: self.rig.variables, workingDirectory: "/")) }
    #expect(doctor().replacedHooks.map(\.state) == [.problem])
    #expect(doctor().replacedHooks.first?.remedy?.hasPrefix("soundd remove git") == true)
    // git writes this below the same headline.
    if isEdited { try git("config", "--global", "core.editor", "vi") }
    try rig.run(rig.remove(["git"]))
    #expect(try git("config", "--global", "core.hooksPath").status == 1)
    #expect(try git("config", "--global", "user.name").text == "N\n")
    if isEdited {
      #expect(try git("config", "--global", "core.editor").text == "vi\n")
    } else {
      #expect(try rig.text(".gitconfig") == old)
    }
    #expect(!rig.exists(".config/git") && !rig.exists(".gitconfig.before-soundd"))
    #expect(doctor().replacedHooks == [])
  }

  @Test(arguments: [false, true]) func `add moves away from the global hooksPath of 0.2`(isOld: Bool) throws {
    let old = try installOld()
    if isOld { try rig.useOldGit() }
    try rig.run(rig.add(["git"], repository: isOld ? rig.home + "/repo" : nil))
    #expect(try git("config", "--global", "core.hooksPath").status == 1)
    #expect(rig.exists("repo/.git/hooks/post-commit") == isOld && !rig.exists(".config/git"))
    try rig.run(rig.remove(["git"]))
    #expect(try rig.text(".gitconfig") == old)
  }
}
