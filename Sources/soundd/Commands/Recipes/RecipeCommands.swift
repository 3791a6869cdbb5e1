import ArgumentParser
import SoundTrigger

/// `soundd recipes`: the shipped recipes, and which of them are on.
struct RecipesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recipes", abstract: "List the shipped recipes, or show one.",
    usage: "soundd recipes [<name>] [--config <file>]",
    discussion: """
      A recipe is a part of a configuration, with its scripts and hooks.
      'on': it is in config.d, beside the configuration.
      'fits': this machine has a use for it, such as a battery.
      'soundd add NAME' adds one, 'soundd remove NAME' takes it out again;
      'soundd recipes add NAME' and 'soundd recipes remove NAME' are the same.
      With a name it prints that recipe's part of the configuration.
      """,
    subcommands: [ShowCommand.self, AddCommand.self, RemoveCommand.self], defaultSubcommand: ShowCommand.self)
}

/// `soundd recipes [NAME]`.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "List the shipped recipes, or show one.", shouldDisplay: false)

  @Argument(help: "The recipe to print.")
  var name: String?
  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws {
    let shelf = try RecipeShelf(configurationOptions.file, environment: .current())
    if let name {
      // The file ends with a line feed of its own.
      return try StandardStreams.print(String(shelf.recipe(named: name).text.dropLast()))
    }
    let rows = shelf.recipes.map { recipe in
      [recipe.name, shelf.isOn(recipe) ? "on" : shelf.fits(recipe) ? "fits" : "-", recipe.about]
    }
    let lines = Table(rows: [["recipe", "state", "about"]] + rows, wrapsLast: true).lines(width: Terminal.width)
    try StandardStreams.print(lines.flatMap(\.self).joined(separator: "\n"))
  }
}

/// `soundd add`: puts recipes into the configuration, and their scripts and hooks where they belong.
struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add shipped recipes to the configuration.",
    usage: "soundd add <names> ... [<options>]",
    discussion: """
      It writes the recipe into config.d, with the paths of this machine,
      and its scripts into soundd's own folder ($XDG_DATA_HOME/soundd/bin).
      A running daemon takes it at once.

      A file of another program, such as its settings or a hook, is changed
      only if that program is installed and you agree: on a terminal 'add'
      shows each change and asks, with --yes it does not ask.
      Otherwise it prints the changes, and the command that makes them.
      A copy of the old file stays beside it (….before-soundd)
      until 'soundd remove'.

      If the configuration would have errors, nothing is changed (exit code 78).
      To add a recipe twice changes nothing.
      """)

  @OptionGroup var recipes: RecipeOptions
  @Flag(help: "Change files of other programs without asking.")
  var yes = false

  func run() throws {
    let shelf = try recipes.shelf()
    let repository = try recipes.folder(shelf)
    let consent = RecipeConsent(shelf: shelf)
    let isAllowed = yes && !recipes.dryRun
    var plan = try shelf.planAdding(recipes.names, repository: repository) { _ in isAllowed }
    if !recipes.dryRun, !plan.pending.isEmpty, RecipeConsent.canAsk {
      let accepted = try consent.accepted(plan.pending)
      plan = try shelf.planAdding(recipes.names, repository: repository, allowed: accepted.contains)
      try plan.run(on: shelf)
      if !plan.pending.isEmpty {
        let files = plan.pending.map(\.path).joined(separator: ", ")
        try StandardStreams.print("unchanged: \(files); to decide again: \(command(plan))")
      }
      return try plan.checkRefusals()
    }
    try plan.run(on: shelf, dryRun: recipes.dryRun)
    if !plan.pending.isEmpty {
      let head = recipes.dryRun ? "with your consent:" : "not done, because other programs read these files:"
      try StandardStreams.print(([head] + plan.pending.map(consent.text)).joined(separator: "\n"))
      try StandardStreams.print("to do that: \(command(plan)) --yes")
    }
    try plan.checkRefusals()
  }

  /// The command that makes the changes that are pending.
  private func command(_ plan: RecipePlan) -> String {
    let names = recipes.names.filter { name in plan.pending.contains { $0.recipe == name } }
    let options = [("--repository", recipes.repository), ("--config", recipes.configurationOptions.file)]
    let words = options.flatMap { name, value in value.map { [name, Excerpt.shellWord(path: $0)] } ?? [] }
    return (["soundd", "add"] + names + words).joined(separator: " ")
  }
}

/// `soundd remove`: takes out again what `soundd add` has installed.
struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take recipes out again.",
    usage: "soundd remove <names> ... [<options>]",
    discussion: """
      It removes what 'soundd add' has installed, and nothing else.
      A file that was edited since stays, and is named.
      Settings of other programs get their old content back;
      if they were edited since, only what was added is taken out.
      """)

  @OptionGroup var recipes: RecipeOptions

  func run() throws {
    let shelf = try recipes.shelf()
    try shelf.planRemoving(recipes.names, repository: recipes.folder(shelf)).run(on: shelf, dryRun: recipes.dryRun)
  }
}

/// What `add` and `remove` have in common.
struct RecipeOptions: ParsableArguments {
  @Argument(help: "The recipes, as 'soundd recipes' names them.")
  var names: [String]
  @Flag(help: "Print what would be done, and do nothing.")
  var dryRun = false
  @Option(help: ArgumentHelp("For 'git': only the hooks of this repository.", valueName: "folder"))
  var repository: String?
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    if repository != nil, names != ["git"] { throw ValidationError("--repository is for the recipe 'git' alone") }
  }

  func shelf() throws -> RecipeShelf {
    let shelf = try RecipeShelf(configurationOptions.file, environment: .current())
    try shelf.lock()
    return shelf
  }

  /// The absolute path of the repository.
  func folder(_ shelf: RecipeShelf) throws -> String? {
    guard let folder = repository.map(shelf.environment.absolute) else { return nil }
    if let problem = AnsweringMounts().problem(of: folder) {
      throw Failure(.noInput, "cannot read \(folder): \(problem)")
    }
    return folder
  }
}

extension RecipePlan {
  /// Does everything, and prints it, or only prints it.
  func run(on shelf: RecipeShelf, dryRun: Bool = false) throws(Failure) {
    for (index, action) in actions.enumerated() {
      if !dryRun {
        do throws(Failure) { try shelf.perform(action) } catch {
          let next = index == 0 ? "nothing was changed" : "do it again to finish, or 'soundd remove' what is half done"
          throw Failure(error.code, "\(error); \(next)")
        }
      }
      if let line = action.line { try StandardStreams.print(line) }
    }
    for note in notes { try StandardStreams.print(note) }
    if actions.isEmpty, notes.isEmpty, pending.isEmpty, refusals.isEmpty {
      try StandardStreams.print("nothing to do: all of it is there already")
    }
  }

  /// Fails if a file of another program could not be changed. The rest is done by then.
  func checkRefusals() throws(Failure) {
    guard let first = refusals.first else { return }
    throw Failure(first.failure.code, refusals.map(\.failure.description).joined(separator: "\n"))
  }
}

extension RecipePlan.Action {
  /// A line for people; `nil` for what is no news.
  fileprivate var line: String? {
    switch self {
    case .write(let path, _, _): "write \(path)"
    case .remove(let path): "remove \(path)"
    case .set(let name, let value, let file):
      "git config --file \(Excerpt.shellWord(file)) \(name) \(Excerpt.shellWord(value))"
    case .removeSection(let section, let file):
      "git config --file \(Excerpt.shellWord(file)) --remove-section \(section)"
    case .unset(let name, _, let file): "git config --file \(Excerpt.shellWord(file)) --unset-all \(name)"
    case .makeFolder, .removeFolder, .removeEmptyFile: nil
    }
  }
}
