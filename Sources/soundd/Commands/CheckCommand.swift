import ArgumentParser
import SoundTrigger

/// `soundd check`: a configuration and its sounds, without running it.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration and its sounds without running it.")

  @Argument(help: "The configuration (default: the one that 'soundd run' would read).")
  var file: String?
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    if file != nil, configurationOptions.file != nil {
      throw ValidationError("FILE and --config FILE are the same: give one of them")
    }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    let file = try ConfigurationFile.locate(file ?? configurationOptions.file, environment: environment)
    let configuration = try ConfigurationFile.read(file, environment: environment)
    let pipeline: Pipeline
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration)
    } catch {
      throw Failure(.configuration, "\(file): \(error)")
    }
    let shelf = SoundShelf(
      loading: pipeline.engine.sounds, locator: environment.soundLocator(configurationFile: file),
      loader: ClipLoader(rate: configuration.output.rate ?? 48_000, limitSeconds: configuration.limits.soundSeconds))
    let complaints = shelf.complaints(configuration, file: file)
    if !complaints.isEmpty { throw Failure(.configuration, complaints.joined(separator: "\n")) }
    try StandardStreams.print(
      "\(file): good (values declared: \(configuration.values.count), triggers: \(configuration.triggers.count), "
        + "sounds: \(pipeline.engine.sounds.count))")
  }
}
