import ArgumentParser
import SoundTrigger

/// `soundd sounds`: what can be played.
struct SoundsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sounds", abstract: "List the sounds that can be played, and play them.",
    usage: "soundd sounds [<name>] [<options>]",
    discussion: """
      Each folder has a list of its sounds:
      the name, the length, and what a shipped sound means.
      The folders stand in the order in which soundd looks a name up:
      the configuration's own sounds/, $XDG_DATA_HOME/soundd/sounds,
      the shipped sounds, those of them inside the program,
      and the sound themes of the configuration.
      Packs are not searched: --pack lists the categories of one.
      A file is not used if an earlier one has its name.

      --play plays the sounds one after the other, or the named one:
      through the running daemon, else in this process.
      """)

  @Argument(help: "The name of one sound (default: all).")
  var name: String?
  @Option(help: "List the sounds of this theme alone.")
  var theme: String?
  @Option(help: "List the sounds of this pack alone, and the licence that it claims.")
  var pack: String?
  @Flag(help: "Play them.")
  var play = false
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if json, play { throw ValidationError("--json and --play exclude each other") }
    if theme != nil, pack != nil { throw ValidationError("--theme and --pack exclude each other") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    if play { environment.setMediaRole() }
    let mounts = AnsweringMounts()
    let candidates = ConfigurationFile.candidates(environment).filter { mounts.problem(of: $0) == nil }
    let file = configurationOptions.file ?? ConfigurationFile.first(of: candidates)
    if let file { try mounts.check(configuration: file, environment) }
    let configuration = try file.map { try read($0, environment) } ?? Configuration()
    var settings = configuration.sounds
    if let theme { settings.themes = [theme] }
    var locator = environment.soundLocator(configurationFile: file, settings)
    if theme != nil {
      locator.folders = []
      if let problem = locator.themes?.problems(refusal: mounts.problem).first { throw Failure(.noInput, "\(problem)") }
    }
    locator.folders.removeAll { folder in
      guard let problem = mounts.problem(of: folder) else { return false }
      StandardStreams.show("cannot read \(folder): \(problem)", priority: 4)
      return true
    }
    let loader = ClipLoader(rate: 48_000, limitSeconds: configuration.limits.soundSeconds)
    let pack = try pack.map { try locator.pack($0, refusal: mounts.problem) }
    let list = SoundList(pack?.catalogue ?? locator.catalogue(), loader)
    let chosen = try name.map { try list.only($0) } ?? list
    if json { return try StandardStreams.print(chosen.json) }
    if !play {
      if let pack { try StandardStreams.print(pack.summary) }
      try StandardStreams.print(chosen.text(inColour: Colour.isWanted, width: Terminal.width))
      if name == nil, theme == nil, pack == nil { try StandardStreams.print(Self.aliases) }
      return
    }
    try play(chosen, HandPlayer(socket, otherwise: configuration.output, locator))
  }

  /// What is valid in the configuration. Prints why it cannot read a file in a default place, and returns the default then.
  private func read(_ file: String, _ environment: SystemEnvironment) throws(Failure) -> Configuration {
    do throws(Failure) { return try ConfigurationFile.draft(file, environment: environment).configuration } catch {
      if configurationOptions.file != nil { throw error }
      StandardStreams.show("\(error), so its settings are not used", priority: 4)
      return Configuration()
    }
  }

  private static let aliases = """

    The names of the freedesktop.org Sound Naming Specification
    play these sounds, too: 'dialog-error' plays 'error'.
    """

  /// Between two sounds.
  private static let pause = Duration.milliseconds(250)

  /// Plays the sounds; fails at the end if some cannot be played.
  private func play(_ list: SoundList, _ player: HandPlayer) throws {
    var broken: SoundError?
    for (row, line) in zip(list.playable, list.playableLines) {
      try StandardStreams.print(line)
      switch row.length {
      case .success(let length):
        try player.play(row.sound.isBuiltIn ? row.sound.name : row.sound.path, length: (length ?? .zero) + Self.pause)
      case .failure(let problem): broken = problem
      }
    }
    if let note = try player.reasonForSilence() { StandardStreams.show(note, priority: 5) }
    if let broken { throw broken }
  }
}
