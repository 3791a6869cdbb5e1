import Glibc
import SoundTrigger

/// The ways to let git run soundd's hook: by its settings, or by a line in the hooks of one repository.
struct GitHooks {
  let git: GitProgram
  let ledger: RecipeLedger
  let look: (String) -> RecipePlan.Entry?
  /// The hook of soundd; absolute.
  let script: String
  let events: [String]

  /// The pieces to install, and notes for the user.
  struct Plan {
    var pieces: [RecipePlan.Piece] = []
    var notes: [String] = []
  }

  /// Plans for all repositories if git can do that, else for `repository` or the one of the working folder.
  func plan(recipe: String, repository: String?) throws(Failure) -> Plan {
    guard let file = git.globalFile else { throw Failure(.noInput, "no place for git's settings is known: set HOME") }
    if git.hasHooksInSettings {
      if repository == nil { return Plan(pieces: [settings(recipe, file)]) }
      if ledger.items.contains(where: { $0.recipe == recipe && $0.kind == .setting }) {
        return Plan(notes: ["git already runs soundd's hook in all repositories, so no repository needs one"])
      }
    }
    // soundd 0.2 replaced the hooks of all repositories, which is undone.
    let replaced = ledger.items.compactMap(\.globalHooksPath)
    let folder = repository ?? git.environment.workingDirectory
    guard let hooks = git.hooks(in: folder, besides: replaced) else {
      if let repository { throw git.failure(in: repository) }
      let version = git.ask(["--version"]) ?? "git"
      return Plan(notes: [
        "\(version) has hooks only in repositories (2.54 has them in its settings): for each one that you want to hear, "
          + "run: soundd add \(recipe) --repository FOLDER"
      ])
    }
    return hooksPlan(recipe, hooks, folder)
  }

  /// The command of a hook. It never fails: without the script, which may be removed before it, git would refuse each push.
  private func command(_ event: String) -> String { "\(Excerpt.shellWord(script)) \(event) 2>/dev/null || :" }

  /// The line at the end of a hook. The exit status stays that of the line before.
  static func line(_ command: String, _ recipe: String) -> String {
    "soundd_status=$?; \(command); (exit $soundd_status) # soundd add \(recipe)"
  }

  /// Each event has a name of its own. The command is before its event: with an event alone, git would refuse to work.
  private func settings(_ recipe: String, _ file: String) -> RecipePlan.Piece {
    let lines = events.flatMap { event in
      ["hook.soundd-\(event).command=\(command(event))", "hook.soundd-\(event).event=\(event)"]
    }
    return RecipePlan.Piece(
      recipe: recipe, path: file, kind: .setting, bytes: Array(lines.joined(separator: "\n").utf8), program: "git",
      asks: true)
  }

  private func hooksPlan(_ recipe: String, _ hooks: String, _ folder: String) -> Plan {
    var plan = Plan()
    let owner = git.owner(of: hooks, in: folder)
    for event in events {
      let (path, line) = (FilePathText.join(hooks, event), Self.line(command(event), recipe))
      if let obstacle = owner?.reason ?? look(path).flatMap(GitProgram.obstacle) {
        let place = owner?.place(event) ?? path
        plan.notes.append(
          "\(path) stays as it is: \(obstacle); to hear '\(event)', add this command to \(place):\n  \(command(event))")
      } else {
        plan.pieces.append(
          RecipePlan.Piece(
            recipe: recipe, path: path, kind: .hook, bytes: Array(line.utf8), mode: 0o755, program: "git", asks: true))
      }
    }
    return plan
  }
}
