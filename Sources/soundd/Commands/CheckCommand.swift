import ArgumentParser
import SoundTrigger

/// `soundd check`: a configuration and its sounds, without running it.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration and its sounds without running it.",
    discussion: """
      Errors and warnings go to standard error.
      A warning is about a setting that is valid and can never sound:
      a path whose folder is missing, a value that no trigger uses,
      a text for a program that is not installed.
      A trigger that plays what another one plays is named, too.
      The exit code is 0 if there are only warnings.
      """)

  @Argument(help: "The configuration (default: the one that 'soundd run' would read).")
  var file: String?
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    if file != nil, configurationOptions.file != nil {
      throw ValidationError("FILE and --config FILE mean the same: give one of them")
    }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    let file = try ConfigurationFile.locate(file ?? configurationOptions.file, environment: environment)
    let mounts = AnsweringMounts()
    try mounts.check(configuration: file, environment)
    let draft = try ConfigurationFile.draft(file, environment: environment)
    let configuration = draft.configuration
    let names = Set(draft.sounds.map(\.name))
    let locator = environment.soundLocator(configurationFile: file, configuration)
    let sounds = LoadedSounds.load(
      names.sorted(), locator: locator,
      loader: ClipLoader(rate: configuration.output.rate ?? 48_000, limitSeconds: configuration.limits.soundSeconds),
      room: ClipRoom(bytes: configuration.limits.memory, limit: configuration.limits.memory),
      refusal: mounts.problem)
    let problems = draft.errors + draft.soundErrors(sounds, file: file)
    if problems.isEmpty {
      do throws(ValueStoreError) {
        _ = try Pipeline(configuration, player: Player(OfflineOutput(writer: nil, rate: 48_000)))
      } catch {
        throw Failure(.configuration, "\(file): \(error)")
      }
      let warnings =
        configuration.warnings(file: file, unavailable: mounts.pathProblem)
        + configuration.commandWarnings(file: file, path: environment.variable("PATH"), unavailable: mounts.pathProblem)
        + configuration.speechWarnings(file: file, locator, refusal: mounts.problem)
        + configuration.warnings(sounds, file: file)
      for warning in warnings { StandardStreams.show("warning: \(warning)", priority: 4) }
      let declared = configuration.values.count + configuration.patterns.count
      return try StandardStreams.print(
        "\(file): good (values declared: \(declared), triggers: \(configuration.triggers.count), "
          + "sounds: \(names.count)\(warnings.isEmpty ? "" : ", warnings: \(warnings.count)"))")
    }
    let sorted = problems.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }
    throw Failure(.configuration, sorted.map(\.element.description).joined(separator: "\n"))
  }
}
