import ArgumentParser
import SoundTrigger

/// `soundd render`: a timeline of values, played into a file.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Play a timeline of values into a WAV file, on a virtual clock.",
    discussion: """
      Each line of EVENTS is a time in seconds and NAME=VALUE, or a JSON object for values that change together:

        0    build=passed
        2.5  build=failed

      The output ends with the last sound. The same input gives the same bytes.
      """)

  @Argument(help: "The timeline; '-' is standard input.")
  var events: String
  @Option(name: .shortAndLong, help: ArgumentHelp("The WAV file to write.", valueName: "file"))
  var output: String
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    if output == "-" { throw ValidationError("-o: a WAV file cannot go through a pipe; give the name of a file") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    let file = try ConfigurationFile.locate(configurationOptions.file, environment: environment)
    let input = events == "-" ? "/dev/stdin" : events
    let target = OutputFile(output)
    for (path, what) in [(input, "the timeline"), (file, "the configuration")] where target.wouldReplace(path) {
      throw Failure(.usage, "-o: \(output) is \(what), which would be lost; give another file to write")
    }
    let configuration = try ConfigurationFile.read(file, environment: environment)
    let bytes = try InputFile.contents(input, limit: 256 << 20, as: "a timeline")
    let timeline: Timeline
    do throws(Timeline.Problem) { timeline = try Timeline(bytes) } catch {
      throw Failure(.badData, "\(events): \(error)")
    }
    let rendering = try Rendering(configuration, file: file, environment: environment)
    do {
      try rendering.run(timeline, name: events, into: target.path)
      try target.commit()
    } catch let error as WAVError {
      throw Failure(.inputOutput, "cannot write \(output): \(error.reason)")
    }
  }
}
