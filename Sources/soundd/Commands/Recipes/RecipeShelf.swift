import Glibc
import SoundTrigger
import SoundWire

/// The shipped recipes, this machine, and what of them is installed on it: plans what to do, and does it.
struct RecipeShelf {
  let environment: SystemEnvironment
  /// The configuration whose parts the recipes become; absolute.
  let file: String
  let recipes = BuiltInRecipes.all
  let programs: InstalledPrograms
  private let mounts = AnsweringMounts()
  private let paths: PathExpansion
  private let ledgerPath: String

  /// The largest file that is read, in bytes.
  private static let limit = 16 << 20

  init(_ option: String?, environment: SystemEnvironment) throws(Failure) {
    self.environment = environment
    guard let path = Self.ledgerPath(environment) else {
      throw Failure(.noInput, "no place for recipes is known: set HOME")
    }
    ledgerPath = path
    file = environment.absolute(option ?? environment.path(of: .config).map { "\($0)/soundd/config.toml" } ?? "")
    paths = PathExpansion(configurationFile: file, environment: environment)
    programs = InstalledPrograms(environment, mounts)
  }

  // MARK: The ledger

  private static func ledgerPath(_ environment: SystemEnvironment) -> String? {
    environment.path(of: .state).map { FilePathText.join($0, "soundd/recipes") }
  }

  /// What is installed; `nil` if the environment names no place for it.
  static func ledger(_ environment: SystemEnvironment) throws(Failure) -> RecipeLedger? {
    guard let path = ledgerPath(environment) else { return nil }
    do {
      return try StateFile(path: path).read().map(RecipeLedger.init) ?? RecipeLedger()
    } catch let problem as Record.Problem {
      throw Failure(.badData, "\(path) \(problem); it says what 'soundd add' has installed")
    } catch {
      throw Failure(.badData, "\(path) cannot be read: \(error); it says what 'soundd add' has installed")
    }
  }

  // MARK: This machine

  /// Whether a part of the configuration has the recipe's name.
  func isOn(_ recipe: Recipe) -> Bool { look(part(recipe)) != nil }

  /// Whether this machine has something that the recipe is for.
  func fits(_ recipe: Recipe) -> Bool {
    recipe.uses.contains { use in
      // The name of a program has no folder.
      use.contains("/") ? match(use) != nil : programs.path(of: use) != nil
    }
  }

  private var git: GitProgram? { programs.path(of: "git").map { GitProgram(path: $0, environment: environment) } }

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

  func look(_ path: String) -> RecipePlan.Entry? {
    if let problem = mounts.problem(of: path) { return .other(problem) }
    var status = stat()
    if lstat(path, &status) < 0 { return errno == ENOENT || errno == ENOTDIR ? nil : .other(SystemError.text(errno)) }
    if status.st_mode & S_IFMT != S_IFREG { return .other("it is not a regular file") }
    do throws(Failure) {
      let bytes = try InputFile.contents(path, limit: Self.limit, as: "a file to be changed", again: true)
      return .file(bytes, mode: status.st_mode & 0o7777)
    } catch {
      return .other(error.description)
    }
  }

  func recipe(named name: String) throws(Failure) -> Recipe {
    if let recipe = recipes.first(where: { $0.name == name }) { return recipe }
    let near = Suggestion.question(Suggestion.nearest(to: name, among: recipes.map(\.name)))
    throw Failure(.noInput, "there is no recipe \(Excerpt.quoting(name))\(near); 'soundd recipes' lists them")
  }

  // MARK: Planning

  /// What `soundd add` does, with the changes of other programs' files that are `allowed`. Fails if the configuration would have
  /// errors.
  func planAdding(
    _ names: [String], repository: String? = nil, allowed: (RecipePlan.Change) -> Bool = { _ in true }
  ) throws(Failure) -> RecipePlan {
    var plan = try begin(names)
    for name in names { _ = try recipe(named: name) }
    let recipes = recipes.filter { names.contains($0.name) }
    var pieces: [RecipePlan.Piece] = []
    for recipe in recipes { pieces += try self.pieces(of: recipe, repository, &plan) }
    try plan.add(pieces, allowed: allowed)
    if plan.actions.isEmpty { return plan }
    for recipe in recipes where plan.changed.recipes.contains(recipe.name) {
      let missing = recipe.programs.filter { programs.path(of: $0) == nil }
      if !missing.isEmpty {
        plan.notes.append(
          "left out, because it is not installed: \(missing.joined(separator: ", ")); once it is: soundd add \(recipe.name)"
        )
      }
      // The next step of what is still pending would lead nowhere.
      let isPending = (plan.pending.map(\.recipe) + plan.refusals.map(\.recipe)).contains(recipe.name)
      let advice = recipe.advice.filter { $0.program.map(plan.changed.programs.contains) ?? !isPending }
      plan.notes += advice.map { "then: \(localized($0.text))" }
    }
    plan.notes += try check(plan)
    return plan
  }

  /// What `soundd remove` does; with a repository, what it does there.
  func planRemoving(_ names: [String], repository: String? = nil) throws(Failure) -> RecipePlan {
    var plan = try begin(names)
    for name in names where !plan.ledger.items.contains(where: { $0.recipe == name }) {
      let path = "\(ConfigurationFile.folder(of: file))/\(name).toml"
      if look(path) != nil { throw Failure(.refused, "\(path) was not written by 'soundd add': remove it yourself") }
      throw Failure(.noInput, "the recipe \(Excerpt.quoting(name)) is not on; 'soundd recipes' lists them")
    }
    let others = recipes.filter { recipe in
      !names.contains(recipe.name) && plan.ledger.items.contains { $0.recipe == recipe.name }
    }
    let folders = others.flatMap(\.steps).filter { $0.kind == .folder }.compactMap { try? absolute($0.path) }
    guard let repository else {
      for item in plan.ledger.items where git == nil && item.kind == .setting && names.contains(item.recipe) {
        plan.notes.append("git is not installed: take the sections [hook \"soundd-…\"] out of \(item.path) yourself")
      }
      plan.remove(names, keeping: folders)
      return plan
    }
    guard let hooks = git?.hooks(in: repository, besides: []) else {
      throw git?.failure(in: repository) ?? Failure(.unavailable, "git is not installed")
    }
    let isThere = { (item: RecipeLedger.Item) in item.kind == .hook && FilePathText.folder(of: item.path) == hooks }
    if !plan.ledger.items.contains(where: isThere) {
      throw Failure(.noInput, "soundd has no hook in \(hooks)")
    }
    plan.remove(names, keeping: folders, chosen: isThere)
    return plan
  }

  /// Reads the ledger, and cleans up after programs that were killed while they wrote.
  private func begin(_ names: [String]) throws(Failure) -> RecipePlan {
    StateFile(path: ledgerPath).removeRemains()
    let ledger = try Self.ledger(environment) ?? RecipeLedger()
    for item in ledger.items { for path in [item.path, item.copy] { StateFile(path: path).removeRemains() } }
    let needsGit = recipes.contains { names.contains($0.name) && $0.steps.contains { $0.kind == .hook } }
    var settings: [String: [String: String]] = [:]
    if needsGit, let git {
      let files = ledger.items.filter { $0.kind == .setting }.map(\.path) + [git.globalFile].compactMap(\.self)
      for file in files where settings[file] == nil { settings[file] = try git.settings(in: file) }
    }
    return RecipePlan(ledgerPath: ledgerPath, ledger: ledger, look: look) { [settings] in settings[$1]?[$0] }
  }

  private func pieces(
    of recipe: Recipe, _ repository: String?, _ plan: inout RecipePlan
  ) throws(Failure) -> [RecipePlan.Piece] {
    var pieces: [RecipePlan.Piece] = []
    for step in recipe.steps {
      let path = try absolute(step.path)
      let target = step.kind == .merge || step.kind == .line ? resolved(path) : path
      // What is installed for a program stays current, even if the program is not found this time.
      let isNeeded = step.program.map { programs.path(of: $0) != nil } ?? true
      if !isNeeded, !plan.ledger.items.contains(where: { $0.path == target }) { continue }
      var piece = RecipePlan.Piece(
        recipe: recipe.name, path: target, kind: step.kind, program: step.program, asks: step.asks)
      switch step.kind {
      case .file, .merge:
        guard let file = recipe.files[step.source] else {
          throw Failure(.software, "the recipe \(recipe.name) has no file \(step.source)")
        }
        piece.bytes = file.bytes
        if step.kind == .merge {
          piece.bytes = Array(localized(String(decoding: file.bytes, as: UTF8.self), inJSON: true).utf8)
        }
        piece.mode = file.isExecutable ? 0o755 : 0o644
      case .line:
        if look(target) == nil { continue }
        piece.bytes = Array(step.source.utf8)
      case .hook:
        guard let git else { continue }
        let hooks = GitHooks(
          git: git, ledger: plan.ledger, look: look, script: path,
          events: step.source.split(separator: " ").map(String.init))
        let hooksPlan = try hooks.plan(recipe: recipe.name, repository: repository)
        pieces += hooksPlan.pieces
        plan.notes += hooksPlan.notes
        continue
      case .folder, .setting: break
      }
      pieces.append(piece)
    }
    var found: [String: String] = [:]
    for paths in recipe.paths { found[paths[0]] = paths.lazy.compactMap(match).first }
    // Last, because the daemon takes it at once.
    let text = localized(recipe.text(replacing: found))
    pieces.append(RecipePlan.Piece(recipe: recipe.name, path: part(recipe), kind: .file, bytes: Array(text.utf8)))
    return pieces
  }

  /// A text with the real folders of soundd's scripts and of the examples, as a shell reads it.
  private func localized(_ text: String, inJSON: Bool = false) -> String {
    var text = text
    if let folder = environment.ownFolders("examples").first(where: { access("\($0)/first.toml", R_OK) == 0 }) {
      text = text.split(separator: " examples/", omittingEmptySubsequences: false)
        .joined(separator: " \(Excerpt.shellWord(folder))/")
    }
    guard let data = environment.path(of: .data), let home = environment.home,
      data != FilePathText.join(home, ".local/share")
    else { return text }
    var word = Excerpt.shellWord(FilePathText.join(data, "soundd/bin"))
    if inJSON { word = String(word.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] }) }
    return text.split(separator: Recipe.scripts, omittingEmptySubsequences: false).joined(separator: word)
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
      + configuration.commandWarnings(
        file: file, path: environment.variable("PATH"), unavailable: mounts.pathProblem,
        isMade: plan.writes)
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
  func perform(_ action: RecipePlan.Action) throws(Failure) {
    switch action {
    case .set, .removeSection, .unset:
      guard let git else {
        throw Failure(.unavailable, "git is needed to change its settings, and is not installed")
      }
      try git.perform(action)
    default: do throws(SystemError) { try write(action) } catch { throw Failure(.inputOutput, "\(error)") }
    }
  }

  private func write(_ action: RecipePlan.Action) throws(SystemError) {
    switch action {
    case .makeFolder(let path): try makeFolder(path, mode: 0o755)
    case .write(let path, let bytes, let mode): try StateFile(path: path).write(bytes, mode: mode)
    case .remove(let path):
      if unlink(path) < 0, errno != ENOENT, errno != ENOTDIR { throw SystemError("remove", path) }
    case .removeFolder(let path):
      if rmdir(path) < 0, ![ENOENT, ENOTDIR, ENOTEMPTY, EEXIST].contains(errno) { throw SystemError("rmdir", path) }
    case .removeEmptyFile(let path):
      if case .file([], _)? = look(path), unlink(path) < 0, errno != ENOENT { throw SystemError("remove", path) }
    case .set, .removeSection, .unset: break
    }
  }
}
