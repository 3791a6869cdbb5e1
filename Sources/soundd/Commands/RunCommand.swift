import ArgumentParser
import Logging
import SoundTrigger

/// `soundd run`: the daemon.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the daemon.",
    usage: "soundd run [<options>] [-]",
    discussion: """
      It watches its configuration file and the parts in config.d beside it:
      saving one of them reloads all.
      A file with errors changes nothing; if it has errors at the start,
      the last good one runs until it is good.
      Without a file in the default places it plays by hand only,
      and takes a file as soon as there is one. 'soundd init' writes one.

      With '-' it also reads lines from standard input, like those of the socket:
      NAME=VALUE, or a JSON object.
      At the end of the input, if the configuration has no other source,
      it finishes the sounds and exits.

      It keeps volumes, profile, throttles and fingerprints of contents in
      $XDG_STATE_HOME/soundd/state (or $STATE_DIRECTORY/state).

      With --log-level debug it logs each play.
      """)

  @Argument(help: "'-': also read value lines from standard input.", transform: Input.init)
  var input: Input?
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Option(help: ArgumentHelp("The ALSA device, or 'none' (default: the configuration's).", valueName: "name"))
  var device: String?
  @OptionGroup var socket: SocketOptions
  @Flag(name: .customLong("no-socket"), help: "Listen on no socket.")
  var hasNoSocket = false
  @OptionGroup var logOptions: LogOptions

  enum Input {
    case standardInput

    init(_ text: String) throws {
      if text != "-" {
        throw ValidationError("expected '-'; to name a configuration: --config \(Excerpt.shellWord(path: text))")
      }
      self = .standardInput
    }
  }

  func validate() throws {
    if hasNoSocket, socket.path != nil { throw ValidationError("--socket and --no-socket exclude each other") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    environment.setMediaRole()
    let paths = try ConfigurationFile.paths(configurationOptions.file, environment: environment)
    let log = logOptions.makeLogger()
    let state = StateFile(environment: environment)
    var start = try StartingConfiguration(
      paths, isRequired: configurationOptions.file != nil, copies: state.flatMap { $0.copies(AnsweringMounts()) },
      environment: environment)
    if let device { start.configuration.output.device = device }
    if state == nil {
      log.warning("the state is not kept: neither XDG_STATE_HOME nor HOME is set to an absolute path")
    }
    let path = hasNoSocket ? nil : try SocketPath.resolve(option: socket.path) { environment.variable($0) }
    try Daemon.run(
      DaemonPlan(
        environment: environment, configuration: start.configuration, paths: paths, text: start.text, bad: start.bad,
        device: device, socket: path, input: input == nil ? .none : .lines, state: state),
      log: log)
  }
}
