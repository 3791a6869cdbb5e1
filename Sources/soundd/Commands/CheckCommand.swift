import ArgumentParser
import SoundTrigger

/// `soundd check`: a configuration and its sounds, without running it.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration and its sounds without running it.")

  @Argument(help: "The configuration (default: the one that 'soundd run' would read).")
  var file: String?

  func run() throws {
    let environment = SystemEnvironment.current()
    let file = try ConfigurationFile.locate(file, environment: environment)
    let configuration = try ConfigurationFile.read(file, environment: environment)
    let pipeline: Pipeline
    do throws(ValueStoreError) {
      pipeline = try Pipeline(configuration)
    } catch {
      throw Failure(.configuration, "\(file): \(error)")
    }
    var shelf = SoundShelf(
      folders: environment.soundFolders(configurationFile: file), base: environment.base(of: file),
      rate: configuration.output.rate ?? 48_000, limits: configuration.limits)
    shelf.load(pipeline.engine.sounds)
    let complaints = shelf.complaints(configuration, file: file, sounds: pipeline.engine.sounds)
    if !complaints.isEmpty { throw Failure(.configuration, complaints.joined(separator: "\n")) }
    try StandardStreams.print(
      "\(file): good (values declared: \(configuration.values.count), triggers: \(configuration.triggers.count), "
        + "sounds: \(pipeline.engine.sounds.count))")
  }
}
