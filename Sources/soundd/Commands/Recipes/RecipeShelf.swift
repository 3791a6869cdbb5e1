import Glibc
import SoundTrigger

/// The shipped recipes, this machine, and what of them is installed on it: plans what to do, and does it.
struct RecipeShelf {
  let environment: SystemEnvironment
  /// The configuration whose parts the recipes become; absolute.
  let file: String
  let recipes: [Recipe]
  private let mounts = AnsweringMounts()
  private let paths: PathExpansion
  private let ledgerPath: String

  /// The largest file that is read, in bytes.
  private static let limit = 16 << 20

  init(_ option: String?, environment: SystemEnvironment) throws(Failure) {
    self.environment = environment
    guard let state = environment.path(of: .state) else {
      throw Failure(.noInput, "no place for recipes is known: set HOME")
    }
    file = environment.absolute(option ?? environment.path(of: .config).map { "\($0)/soundd/config.toml" } ?? "")
    paths = PathExpansion(configurationFile: file, environment: environment)
    recipes = try Self.recipes(environment)
    ledgerPath = FilePathText.join(state, "soundd/recipes")
  }

  /// Reads the recipes that are installed with the program, in the order of their names.
  static func recipes(_ environment: SystemEnvironment) throws(Failure) -> [Recipe] {
    let folder = try examples(environment)
    return (Folder.names(in: folder) ?? []).sorted().compactMap { entry in
      let name = entry.hasSuffix(".toml") ? String(entry.dropLast(5)) : entry
      let file = FilePathText.join(folder, name == entry ? "\(entry)/config.toml" : entry)
      guard let bytes = try? InputFile.contents(file, limit: limit, as: "a recipe", again: true) else { return nil }
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains("\n# soundd add \(name)\n")
        ? Recipe(name: name, folder: FilePathText.folder(of: file), text: text) : nil
    }
  }

  /// The folder of the examples.
  static func examples(_ environment: SystemEnvironment) throws(Failure) -> String {
    let folders = environment.ownFolders("examples")
    if let folder = folders.first(where: { access("\($0)/first.toml", R_OK) == 0 }) { return folder }
    throw Failure(
      .noInput, "the examples are not installed: install soundd again\n  searched: \(folders.joined(separator: ", "))")
  }

  // MARK: This machine

  /// Whether a part of the configuration has the recipe's name.
  func isOn(_ recipe: Recipe) -> Bool { look(part(recipe)) != nil }

  /// Whether this machine has something that the recipe is for.
  func fits(_ recipe: Recipe) -> Bool { recipe.uses.contains { match($0) != nil } }

  private func part(_ recipe: Recipe) -> String { "\(ConfigurationFile.folder(of: file))/\(recipe.name).toml" }

  private func absolute(_ path: String) throws(Failure) -> String {
    do throws(SettingProblem) { return try paths.entry(path) } catch {
      throw Failure(.noInput, "\(path): \(error.message)")
    }
  }

  /// The file that a link leads to, so that the link stays one.
  private func resolved(_ path: String) -> String {
    guard mounts.problem(of: path) == nil, let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The first path that this user may read and that matches a pattern (glob); as it is written if it has no wildcard.
  private func match(_ path: String) -> String? {
    guard let pattern = try? paths.entry(path), mounts.problem(of: pattern) == nil else { return nil }
    if !path.contains("*") { return access(pattern, R_OK) == 0 ? path : nil }
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(pattern, 0, nil, &result) == 0 else { return nil }
    let matches = (0..<Int(result.gl_pathc)).compactMap { result.gl_pathv[$0].map { String(cString: $0) } }
    return matches.first { access($0, R_OK) == 0 }
  }

  private func look(_ path: String) -> RecipePlan.Entry? {
    if let problem = mounts.problem(of: path) { return .other(problem) }
    var status = stat()
    if lstat(path, &status) < 0 { return errno == ENOENT || errno == ENOTDIR ? nil : .other(SystemError.text(errno)) }
    if status.st_mode & S_IFMT != S_IFREG { return .other("it is no regular file") }
    do throws(Failure) {
      let bytes = try InputFile.contents(path, limit: Self.limit, as: "a file to be changed", again: true)
      return .file(bytes, mode: status.st_mode & 0o7777)
    } catch {
      return .other(error.description)
    }
  }

  // MARK: Planning

  /// What `soundd add` does. Fails if the configuration would be broken.
  func planAdding(_ names: [String]) throws(Failure) -> RecipePlan {
    var plan = try begin()
    for name in names where !recipes.contains(where: { $0.name == name }) {
      let near = Suggestion.question(Suggestion.nearest(to: name, among: recipes.map(\.name)))
      throw Failure(.noInput, "there is no recipe \(Excerpt.quoting(name))\(near); 'soundd recipes' lists them")
    }
    let recipes = recipes.filter { names.contains($0.name) }
    var pieces: [RecipePlan.Piece] = []
    for recipe in recipes { pieces += try self.pieces(of: recipe, &plan.notes) }
    try plan.add(pieces)
    if plan.actions.isEmpty { return plan }
    plan.notes += recipes.flatMap(\.advice).map { "then: \($0)" }
    plan.notes += try check(plan)
    return plan
  }

  /// What `soundd remove` does.
  func planRemoving(_ names: [String]) throws(Failure) -> RecipePlan {
    var plan = try begin()
    for name in names where !plan.ledger.items.contains(where: { $0.recipe == name }) {
      let path = "\(ConfigurationFile.folder(of: file))/\(name).toml"
      if look(path) != nil { throw Failure(.refused, "\(path) was not written by 'soundd add': remove it yourself") }
      throw Failure(.noInput, "the recipe \(Excerpt.quoting(name)) is not on; 'soundd recipes' lists them")
    }
    plan.remove(names)
    return plan
  }

  /// Reads the ledger, and cleans up after programs that were killed while they wrote.
  private func begin() throws(Failure) -> RecipePlan {
    StateFile(path: ledgerPath).removeRemains()
    do {
      let ledger = try StateFile(path: ledgerPath).read().map(RecipeLedger.init) ?? RecipeLedger()
      for item in ledger.items { for path in [item.path, item.copy] { StateFile(path: path).removeRemains() } }
      return RecipePlan(ledgerPath: ledgerPath, ledger: ledger, look: look)
    } catch {
      throw Failure(.badData, "\(ledgerPath) cannot be read: \(error); it says what 'soundd add' has installed")
    }
  }

  private func pieces(of recipe: Recipe, _ notes: inout [String]) throws(Failure) -> [RecipePlan.Piece] {
    var pieces: [RecipePlan.Piece] = []
    func add(_ kind: Recipe.Kind, _ path: String, _ bytes: [UInt8] = [], mode: UInt32 = 0o644) {
      pieces.append(RecipePlan.Piece(recipe: recipe.name, path: path, kind: kind, bytes: bytes, mode: mode))
    }
    for step in recipe.steps {
      let path = try absolute(step.path)
      let source = FilePathText.join(recipe.folder, step.source)
      switch step.kind {
      case .file, .merge:
        let bytes = try InputFile.contents(source, limit: Self.limit, as: "a file of a recipe", again: true)
        let mode: UInt32 = access(source, X_OK) == 0 ? 0o755 : 0o644
        add(step.kind, step.kind == .merge ? resolved(path) : path, bytes, mode: mode)
      case .folder: add(.folder, path)
      case .line: if look(resolved(path)) != nil { add(.line, resolved(path), Array(step.source.utf8)) }
      }
    }
    if let hooks = try recipe.hooks.map(absolute) {
      let answer = environment.output(of: "git config --global --get --path core.hooksPath")
        .map { String($0.prefix { !$0.isNewline }) }
      if answer == "" {
        let paths = ["~/.gitconfig", "$XDG_CONFIG_HOME/git/config"]
        let file = try absolute(paths.first { match($0) != nil } ?? paths[0])
        add(.line, resolved(file), Array("[core]\n\thooksPath = \(hooks)".utf8))
      } else if let answer, answer != hooks {
        notes.append("git runs the hooks in \(answer): to hear them, copy those in \(hooks) to it")
      }
    }
    var found: [String: String] = [:]
    for paths in recipe.paths { found[paths[0]] = paths.lazy.compactMap(match).first }
    // Last, because the daemon takes it at once.
    add(.file, part(recipe), Array(recipe.text(replacing: found).utf8))
    return pieces
  }

  /// Reads the configuration as it would be; returns the warnings about its new parts.
  private func check(_ plan: RecipePlan) throws(Failure) -> [String] {
    var text = ConfigurationText(file: file, bytes: [])
    var notes: [String] = []
    if ConfigurationFile.first(of: [file]) != nil {
      text = try ConfigurationFile.text(file)
    } else if let other = ConfigurationFile.first(of: ConfigurationFile.candidates(environment)) {
      notes.append("warning: \(other) no longer counts, because you have a configuration of your own now")
    }
    let folder = ConfigurationFile.folder(of: file) + "/"
    for case .write(let path, let bytes, _) in plan.actions where path.hasPrefix(folder) {
      text.parts.removeAll { $0.file == path }
      text.parts.append(ConfigurationText.Part(file: path, bytes: bytes))
    }
    text.parts.sort { $0.file.utf8.lexicographicallyPrecedes($1.file.utf8) }
    if text.parts.count > ConfigurationFile.mostParts {
      throw Failure(.refused, "a configuration may have \(ConfigurationFile.mostParts) parts; nothing was changed")
    }
    let draft = ConfigurationDraft(text, environment: environment)
    if !draft.errors.isEmpty {
      let end = "the configuration would have these errors; nothing was changed"
      throw Failure(.configuration, (draft.errors.map(\.description) + [end]).joined(separator: "\n"))
    }
    let configuration = draft.configuration
    let warnings =
      configuration.warnings(file: file, unavailable: mounts.pathProblem, made: plan.ledger.folders)
      + configuration.commandWarnings(file: file, path: environment.variable("PATH"), unavailable: mounts.pathProblem)
      + configuration.speechWarnings(
        file: file, environment.soundLocator(configurationFile: file, configuration), refusal: mounts.problem)
    return notes + warnings.filter { $0.file.map(plan.writes) == true }.map { "warning: \($0)" }
  }

  // MARK: Performing

  /// Excludes other processes that add or remove, until this one ends.
  func lock() throws(Failure) {
    let home = open(environment.home ?? "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if flock(home, LOCK_EX | LOCK_NB) < 0, errno == EWOULDBLOCK {
      throw Failure(.refused, "another 'soundd add' or 'soundd remove' runs: wait for its end")
    }
  }

  /// Does one thing, whole or not at all.
  static func perform(_ action: RecipePlan.Action) throws(Failure) {
    do throws(SystemError) {
      switch action {
      case .makeFolder(let path): try makeFolder(path, mode: 0o755)
      case .write(let path, let bytes, let mode): try StateFile(path: path).write(bytes, mode: mode)
      case .remove(let path):
        if unlink(path) < 0, errno != ENOENT, errno != ENOTDIR { throw SystemError("remove", path) }
      case .removeFolder(let path):
        if rmdir(path) < 0, ![ENOENT, ENOTDIR, ENOTEMPTY, EEXIST].contains(errno) { throw SystemError("rmdir", path) }
      }
    } catch {
      throw Failure(.inputOutput, "\(error); do it again to finish, or 'soundd remove' what is half done")
    }
  }
}
