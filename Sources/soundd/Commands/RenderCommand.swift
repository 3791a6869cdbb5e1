import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd render`: a timeline of values, played into a file, or printed.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Play a timeline of values on a virtual clock, into a WAV file.",
    discussion: """
      Each line of EVENTS is a time in seconds and NAME=VALUE,
      or a JSON object for values that change together:

        0    build=passed
        2.5  build=failed

      A time without a value lets time pass.
      Instead of a value, a line may have what a person does about alarms:

        30   ack reactor
        40   snooze for=10min reactor
        50   unsnooze reactor

      The output ends with the last line or the last sound, whichever is later.
      No file is read: only the timeline changes values.
      The same input gives the same bytes.

      Without -o the command mixes nothing, so a week takes a moment.
      It prints a line for each sound that begins ('plays')
      or is stopped early ('stops'),
      and for each new state of an alarm ('is active').
      If nothing plays, it says why on standard error and exits with 0.
      """)

  @Argument(help: "The timeline; '-' is standard input.")
  var events: String
  @Option(
    name: .shortAndLong, help: ArgumentHelp("The WAV file to write (default: print what plays).", valueName: "file"))
  var output: String?
  @Flag(help: "Print what plays as JSON, an object a line.")
  var json = false
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    if json, output != nil { throw ValidationError("--json prints what plays, and with -o nothing is printed") }
    if output == "-" { throw ValidationError("-o: a WAV file cannot go through a pipe; give the name of a file") }
    if let output, SoundLocator.name(of: output) != nil, !output.hasSuffix(".wav") {
      throw ValidationError("-o: soundd writes WAV files only: name it '….wav', and convert it with sox, for example")
    }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    let file = try ConfigurationFile.locate(configurationOptions.file, environment: environment)
    let input = events == "-" ? "/dev/stdin" : events
    let mounts = AnsweringMounts()
    try mounts.check(configuration: file, environment)
    try mounts.check(input, environment)
    if let output, let problem = mounts.problem(of: environment.absolute(output)) {
      throw Failure(.inputOutput, "cannot write \(output): \(problem)")
    }
    let target = output.map { OutputFile($0) }
    func keep(_ path: String, _ what: String) throws(Failure) {
      guard let output, let target, target.wouldReplace(path) else { return }
      throw Failure(.usage, "-o: \(output) is \(what), which would be lost; give another file to write")
    }
    try keep(input, "the timeline")
    try keep(file, "the configuration")
    let configuration = try ConfigurationFile.text(file).configuration(environment)
    let bytes = try InputFile.contents(input, limit: 256 << 20, as: "a timeline")
    let timeline: Timeline
    do throws(Timeline.Problem) { timeline = try Timeline(bytes) } catch {
      throw Failure(.badData, "\(events): \(error)")
    }
    // What played before an error is printed, too.
    var lines: [UInt8] = []
    do {
      let rendering = try Rendering(
        timeline, name: events, configuration, file: file, environment: environment, into: target?.path,
        isNew: target?.isNew ?? false, refusal: mounts.problem
      ) {
        if target == nil { lines += json ? $0.json : Array($0.text.utf8) + [10] }
      }
      for sound in rendering.soundFiles { try keep(sound, "a sound of the configuration") }
      let result = Result { try rendering.run() }
      if !StandardStreams.write(STDOUT_FILENO, lines) { throw StandardStreams.failure }
      try result.get()
      try target?.commit()
    } catch let error as WAVError {
      throw Failure(.inputOutput, "cannot write \(output ?? ""): \(error.reason)")
    }
  }
}
