import SoundTrigger

/// What soundd 0.2 has left behind.
extension Doctor {
  /// The hooks of all repositories, which 0.2 replaced (`core.hooksPath`): git then runs no hook of a repository itself.
  var replacedHooks: [DoctorRow] {
    let ledger: RecipeLedger?
    do throws(Failure) { ledger = try RecipeShelf.ledger(environment) } catch {
      return [DoctorRow("recipes", .note, error.description, remedy: "restore that file, or move it away")]
    }
    return (ledger?.items ?? []).compactMap { item in
      guard let hooks = item.globalHooksPath, mounts.problem(of: item.path) == nil,
        let bytes = try? InputFile.contents(item.path, limit: 1 << 20, as: "git's settings", again: true),
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains(where: { line in
          line.lowercased().contains("hookspath") && line.contains(hooks)
        })
      else { return nil }
      return DoctorRow(
        "git", .problem,
        "soundd 0.2 has set core.hooksPath in \(item.path) to \(hooks): git runs no hook of a repository but those named there",
        remedy: "soundd remove git; then, if you want to hear git: soundd add git")
    }
  }
}
