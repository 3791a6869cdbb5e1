import Glibc
import SoundTrigger
import SoundWire

/// Collects what `soundd doctor` judges: from the running daemon, or by trying in this process.
struct Doctor {
  let environment: SystemEnvironment
  /// What stands before `/proc`, `/sys` and `/dev`; empty outside tests.
  var root = ""
  /// Which paths may be touched.
  let mounts = AnsweringMounts()

  /// Asks the daemon, or without one opens the device; `withSounds` also loads the sounds then. Plays nothing. Also returns the
  /// configuration that was read.
  ///
  /// Blocks while a device opens and sounds load. Throws only if a socket's path makes no sense.
  func facts(
    configuration option: String?, socket: String?, withSounds: Bool = true
  ) throws -> (facts: DoctorFacts, configuration: Configuration) {
    var facts = DoctorFacts(executable: environment.executable, user: user, socket: try socketPath(socket))
    facts.state = DoctorFacts.State(path: StateFile(environment: environment)?.path, folder: stateFolder)
    facts.state.leftovers = replacedHooks
    facts.server = SoundServer.inUse(environment)
    facts.servers = SoundServer.running(environment)
    facts.programs = Set(Self.servers.filter(environment.hasProgram))
    facts.isManaged = environment.path(of: .runtime).map { access("\($0)/systemd", F_OK) == 0 } ?? false
    facts.cards = cards
    let connection = connect(to: facts.socket, &facts)
    if connection == nil { facts.hasFailedUnit = hasFailedUnit }
    facts.runtimeFolder = runtimeFolder(withDaemon: connection != nil)
    let candidates = ConfigurationFile.candidates(environment).filter { mounts.problem(of: $0) == nil }
    let own = option ?? ConfigurationFile.first(of: candidates)
    let file = facts.status == nil ? own : facts.status?.configuration
    let configuration = read(file, &facts)
    if let own, facts.status != nil, file.map({ environment.absolute($0) }) != environment.absolute(own) {
      facts.configuration.append(
        DoctorRow(
          "configuration", .note, "the daemon does not use \(own)",
          remedy: "systemctl --user restart soundd; or edit \(file ?? "the daemon's file")"))
    }
    facts.sounds.folders = environment.soundFolders(configurationFile: file).filter {
      $0 == BuiltInSounds.folder || mounts.problem(of: $0) == nil && access($0, F_OK) == 0
    }
    facts.sounds.areConfined = DecodingCell.isSupported
    if let connection, let status = facts.status {
      facts.device = Self.device(of: status)
      if facts.device.problem == nil, facts.device.server != nil {
        var settings = configuration.output
        settings.device = facts.device.name
        tryDevice(settings, &facts)
      }
      facts.triggers = status.triggers
      try ask(connection, &facts)
    } else {
      attempt(configuration, file: file, withSounds: withSounds, &facts)
    }
    if facts.device.problem == nil {
      facts.sink = sink(facts.device.soundServer ?? facts.server)
      if let server = facts.device.soundServer {
        let daemons = facts.status?.pid.flatMap { Self.stream(of: $0, server, environment) }
        var settings = configuration.output
        settings.device = facts.device.name
        facts.stream = daemons ?? trialStream(settings, server)
      }
    }
    if case .after = configuration.output.wake { facts.isWoken = true }
    facts.lacksPlugin = lacksPlugin(facts.server)
    return (facts, configuration)
  }

  /// The user's name.
  private var user: String {
    if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
    return environment.variable("USER") ?? "$USER"
  }

  // MARK: The daemon

  /// `nil` if there is no folder for a socket; that is a finding, not an error.
  private func socketPath(_ option: String?) throws -> String? {
    do throws(SocketPath.Problem) {
      return try SocketPath.resolve(option: option, folder: runtimeFolder, environment: environment.variable)
    } catch .noFolder {
      return nil
    }
  }

  /// Asks the daemon for its status; the connection is to one that answers.
  private func connect(to socket: String?, _ facts: inout DoctorFacts) -> DaemonConnection? {
    guard let socket else { return nil }
    do {
      let connection = try DaemonConnection(path: socket)
      facts.daemon = .running(try connection.status())
      return connection
    } catch DaemonConnection.Problem.noDaemon {
      facts.daemon = .none
    } catch {
      facts.daemon = .silent("\(error)")
    }
    return nil
  }

  /// Whether systemd has given up starting the daemon.
  private var hasFailedUnit: Bool {
    // systemctl needs the folder even where the variable does not name it, as in cron.
    var environment = environment
    environment.variables["XDG_RUNTIME_DIR"] = RuntimeFolder(variable: environment.variable("XDG_RUNTIME_DIR")).path
    let states = environment.output(of: "systemctl --user is-failed soundd.service soundd.socket") ?? ""
    return states.split(separator: "\n").contains("failed")
  }

  /// The daemon's values.
  private func ask(_ connection: DaemonConnection, _ facts: inout DoctorFacts) throws {
    var check = PathCheck()
    facts.sources = try connection.ask("list", for: [ValueMessage].self).map { value in
      var source = DoctorFacts.Source(value)
      look(at: &source, &check)
      return source
    }
  }

  /// The daemon's device.
  static func device(of status: StatusMessage) -> DeviceMessage {
    var device = status.device
    if device.state == .missing, device.problem == nil {
      device.problem = "cannot play on '\(device.name)'; the daemon's log says why"
    }
    return device
  }

  // MARK: The configuration

  /// Reads a configuration, and makes its rows; what cannot be read has its defaults.
  func read(_ file: String?, _ facts: inout DoctorFacts) -> Configuration {
    func row(_ state: DoctorRow.State, _ finding: String, _ remedy: String? = nil) -> DoctorRow {
      DoctorRow("configuration", state, finding, remedy: remedy)
    }
    facts.configurationFile = file
    guard let file else {
      facts.configuration = [row(.note, "there is none: nothing plays by itself", "soundd init")]
      return Configuration()
    }
    let start = facts.status.flatMap { $0.warnings.first(where: \.isAboutStart) }
    let use = facts.status == nil ? "" : "; \(start?.message ?? "the daemon continues with what it read before")"
    let check = "soundd check \(Excerpt.shellWord(path: file))"
    do throws(Failure) {
      try mounts.check(configuration: file, environment)
      let draft = try ConfigurationFile.draft(file, environment: environment)
      let configuration = draft.configuration
      facts.configuration = draft.errors.map { row(.problem, "\($0)", check) }
      if let last = facts.configuration.indices.last {
        facts.configuration[last].finding += use
      } else if !configuration.triggers.isEmpty {
        facts.configuration = [row(.ok, "\(file), triggers: \(configuration.triggers.count)")]
      }
      facts.configuration += warnings(of: draft, file, facts.status).map { row(.note, $0) }
      return configuration
    } catch {
      let remedy = remedy(forReading: environment.absolute(file)) ?? check
      facts.configuration = [row(.problem, error.description + use, remedy)]
      return Configuration()
    }
  }

  /// What helps if the file cannot be read; `nil` if its content is the reason.
  private func remedy(forReading file: String) -> String? {
    if let problem = mounts.pathProblem(of: file) { return problem.remedy }
    if isFolder(file) {
      if !ConfigurationFile.candidates(environment).contains(file) { return "name a file: --config FILE" }
      return "move it away (mv \(Excerpt.shellWord(file)) \(Excerpt.shellWord(file + ".old"))), then: soundd init"
    }
    var check = PathCheck()
    if let problem = check.problem(of: file, .content) { return problem.remedy }
    return access(file, F_OK) == 0 ? nil : "restore it, or write a first one: soundd init"
  }

  /// What is odd in a configuration: while a daemon runs, what it says. A warning says itself what to do.
  private func warnings(of draft: ConfigurationDraft, _ file: String, _ status: StatusMessage?) -> [String] {
    guard let status else {
      let commands = draft.configuration.commandWarnings(
        file: file, path: environment.variable("PATH"), unavailable: mounts.pathProblem)
      return (draft.configuration.ownWarnings + commands).map(\.description)
    }
    return status.warnings.filter { warning in
      switch warning.code?.kind {
      // The rows of the sources and the state say these.
      case .path, .unchecked, .more, .unsaved, .stateLocked: false
      case .notReloaded, .lastGood, .noConfiguration: draft.errors.isEmpty
      default: true
      }
    }.map(\.message)
  }

  // MARK: Without a daemon

  /// Does what a daemon would: opens the device, loads the sounds, reads the state and looks at the files.
  private func attempt(
    _ configuration: Configuration, file: String?, withSounds: Bool, _ facts: inout DoctorFacts
  ) {
    let settings = configuration.output
    facts.device.name = settings.device
    var rate = settings.rate ?? 48_000
    if settings.device != OutputSettings.noDevice {
      rate = tryDevice(settings, &facts)?.rate ?? rate
    }
    if !withSounds { return }
    let sounds = LoadedSounds.load(
      configuration.soundNames,
      locator: environment.soundLocator(configurationFile: file, configuration),
      loader: ClipLoader(rate: rate, limitSeconds: configuration.limits.soundSeconds),
      room: ClipRoom(bytes: configuration.limits.memory, limit: configuration.limits.memory),
      refusal: mounts.problem)
    if let file {
      let warnings = configuration.warnings(sounds, file: file)
      facts.configuration += warnings.map { DoctorRow("configuration", .note, $0.description) }
    }
    let state = StateFile(environment: environment).flatMap { mounts.problem(of: $0.path) == nil ? $0 : nil }
    let preview: StartPreview
    do {
      preview = try StartPreview(configuration, sounds, state: state, rate: rate)
    } catch {
      return facts.configuration.append(DoctorRow("configuration", .problem, "no daemon could start with it: \(error)"))
    }
    var check = PathCheck()
    facts.sources = preview.values.map { value in
      var source = DoctorFacts.Source(value)
      look(at: &source, &check)
      return source
    }
    facts.triggers = preview.triggers
    facts.preview = preview
  }

  /// Opens a device, for a second at most, and closes it.
  @discardableResult
  private func tryDevice(_ settings: OutputSettings, _ facts: inout DoctorFacts) -> StreamFormat? {
    let found = TriedDevice.tryToOpen(settings)
    facts.deviceType = found.type
    var server = facts.device.soundServer
    if let stream = found.stream, stream.needsServer {
      server = SoundServer.inUse(ofPipeWire: stream.kind == .pipewire, environment)
    }
    facts.device = DeviceMessage(
      settings.device, state: found.stream == nil ? .missing : .idle, since: facts.device.since,
      rate: settings.rate ?? 0,
      stream: found.stream, server: server, error: found.error)
    return found.stream
  }

  /// A status with `realTime` and `memory` alone, of an audio thread that is started for this; `nil` if none could be.
  func audioThreadStatus(_ configuration: Configuration) -> StatusMessage? {
    guard let output = try? Output(configuration.output, voiceLimit: configuration.limits.voices) else { return nil }
    defer { output.stop() }
    var status = StatusMessage()
    (status.realTime, status.memory) = (RealTimeMessage(output), LockedMemoryMessage(.current))
    return status
  }

  // MARK: Files

  private func runtimeFolder(_ variable: String?) -> RuntimeFolder {
    RuntimeFolder(variable: variable) { RuntimeFolder.owner(of: $0.hasPrefix("/run/user/") ? root + $0 : $0) }
  }

  /// What is wrong with XDG_RUNTIME_DIR.
  private func runtimeFolder(withDaemon: Bool) -> [DoctorRow] {
    let folder = runtimeFolder(environment.variable("XDG_RUNTIME_DIR"))
    let row = { (finding: String, remedy: String) in
      [DoctorRow("runtime folder", withDaemon ? .note : .problem, finding, remedy: remedy)]
    }
    guard let flaw = folder.flaw else {
      guard let path = folder.path, access(path, W_OK | X_OK) != 0 else { return [] }
      return row(
        "XDG_RUNTIME_DIR is \(path), in which this user may not write", "chmod 700 \(Excerpt.shellWord(path))")
    }
    if folder.path == folder.fallback {
      return row(
        "\(flaw): soundd's socket is found in \(folder.fallback), but programs that play do not find the sound server",
        "export XDG_RUNTIME_DIR=\(folder.fallback)")
    }
    return row(
      "\(flaw), and \(folder.fallback) is missing: neither soundd's socket nor the sound server's is found",
      "log in through a login manager, ssh or 'machinectl shell', not with su or sudo")
  }

  /// What is wrong with the folder in which the state is kept.
  private var stateFolder: [DoctorRow] {
    let loss = Diagnosis.stateLoss
    guard let file = StateFile(environment: environment) else {
      return [
        DoctorRow(
          "state folder", .note, "neither XDG_STATE_HOME nor HOME is set to an absolute path: \(loss)",
          remedy: "export XDG_STATE_HOME=~/.local/state")
      ]
    }
    if file.mayBeWritten { return [] }
    return [
      DoctorRow(
        "state folder", .note, "this user may not write in \(file.folder): \(loss)",
        remedy: "mkdir -p \(Excerpt.shellWord(file.folder)); 'ls -ld' shows whose it is")
    ]
  }

  /// Looks whether the path of a source can be read (access); `check` remembers folders.
  private func look(at source: inout DoctorFacts.Source, _ check: inout PathCheck) {
    guard let (aspect, path) = source.value.file else { return }
    source.problem = mounts.pathProblem(of: path) ?? check.problem(of: path, aspect)
    // Whether there is something is the value itself; the daemon makes a pipe that is missing.
    if source.problem != nil || aspect == .exists || aspect == .fifo { return }
    source.isMissing = access(path, F_OK) != 0
  }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The cards below /dev/snd.
  private var cards: DoctorFacts.Cards {
    let playback = names(in: "/dev/snd").filter { $0.hasPrefix("pcmC") && $0.hasSuffix("p") }
    return DoctorFacts.Cards(
      count: playback.count, forbidden: playback.count { access("\(root)/dev/snd/\($0)", R_OK | W_OK) != 0 })
  }
}
