import ArgumentParser
import SoundTrigger

/// `soundd recipes`: what is shipped, and what of it is on.
struct RecipesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recipes", abstract: "List the shipped recipes.",
    discussion: """
      A recipe is a part of a configuration, with its scripts and hooks.
      'on': it is in config.d, beside the configuration.
      'fits': this machine has a use for it, such as a battery.
      'soundd add NAME' adds one, 'soundd remove NAME' takes it out again.
      """)

  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws {
    let shelf = try RecipeShelf(configurationOptions.file, environment: .current())
    let rows = shelf.recipes.map { recipe in
      [recipe.name, shelf.isOn(recipe) ? "on" : shelf.fits(recipe) ? "fits" : "-", recipe.about]
    }
    let lines = Table(rows: [["recipe", "state", "about"]] + rows, wrapsLast: true).lines(width: Terminal.width)
    try StandardStreams.print(lines.flatMap(\.self).joined(separator: "\n"))
  }
}

/// `soundd add`: puts recipes into the configuration, and what belongs to them where it belongs.
struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add shipped recipes to the configuration.",
    discussion: """
      It writes the recipe into config.d, with the paths of this machine,
      and puts its scripts, units and hooks where they belong.
      A running daemon takes it at once.
      Settings of other programs are extended, and a copy of the old file
      stays beside it (….before-soundd) until 'soundd remove'.
      If the configuration would have errors, nothing is changed (exit code 78).
      To add a recipe twice changes nothing.
      """)

  @OptionGroup var recipes: RecipeOptions

  func run() throws { try recipes.shelf().planAdding(recipes.names).run(dryRun: recipes.dryRun) }
}

/// `soundd remove`: takes out again what `soundd add` has installed.
struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take recipes out again.",
    discussion: """
      It removes what 'soundd add' has installed, and nothing else.
      A file that was edited since stays, and is named.
      Settings of other programs get their old content back;
      if they were edited since, only what was added is taken out.
      """)

  @OptionGroup var recipes: RecipeOptions

  func run() throws { try recipes.shelf().planRemoving(recipes.names).run(dryRun: recipes.dryRun) }
}

/// What `add` and `remove` have in common.
struct RecipeOptions: ParsableArguments {
  @Argument(help: "The recipes, as 'soundd recipes' names them.")
  var names: [String]
  @Flag(help: "Print what would be done, and do nothing.")
  var dryRun = false
  @OptionGroup var configurationOptions: ConfigurationOptions

  func shelf() throws -> RecipeShelf {
    let shelf = try RecipeShelf(configurationOptions.file, environment: .current())
    try shelf.lock()
    return shelf
  }
}

extension RecipePlan {
  /// Does everything, and prints it, or only prints it.
  func run(dryRun: Bool = false) throws(Failure) {
    for action in actions {
      if !dryRun { try RecipeShelf.perform(action) }
      if let line = action.line { try StandardStreams.print(line) }
    }
    for note in notes { try StandardStreams.print(note) }
    if actions.isEmpty, notes.isEmpty { try StandardStreams.print("nothing to do: all of it is there already") }
  }
}

extension RecipePlan.Action {
  /// A line for people; `nil` for what is no news.
  fileprivate var line: String? {
    switch self {
    case .write(let path, _, _): "write \(path)"
    case .remove(let path): "remove \(path)"
    case .makeFolder, .removeFolder: nil
    }
  }
}
