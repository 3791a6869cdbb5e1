import Glibc
import SoundTrigger

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
    let file = facts.status == nil ? own : facts.status?.text("configuration")
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
      if facts.device.problem == nil, status.object("device").text("server") != nil {
        var settings = configuration.output
        settings.device = facts.device.name
        tryDevice(settings, &facts.device)
      }
      try ask(connection, status, &facts)
    } else {
      attempt(configuration, file: file, withSounds: withSounds, &facts)
    }
    if facts.device.problem == nil {
      facts.device.sink = sink(facts.device.server ?? facts.server)
      if let server = facts.device.server {
        let daemons = facts.status?.number("pid").flatMap { Self.stream(of: $0, server, environment) }
        var settings = configuration.output
        settings.device = facts.device.name
        facts.device.stream = daemons ?? trialStream(settings, server)
      }
    }
    if case .after = configuration.output.wake { facts.device.isWoken = true }
    facts.device.lacksPlugin = lacksPlugin(facts.server)
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

  /// The daemon's values and triggers, with the last change of each trigger.
  private func ask(_ connection: DaemonConnection, _ status: JSONObject, _ facts: inout DoctorFacts) throws {
    var check = PathCheck()
    facts.sources = try JSONObject.array(reply: connection.ask("list")).map { value in
      var source = Self.source(value, now: facts.now)
      look(at: &source, &check)
      return source
    }
    facts.triggers = try JSONObject.array(reply: status["triggers"]).map { trigger in
      let name = trigger.text("name") ?? ""
      let report: JSONObject?
      do {
        report = try JSONObject(reply: connection.ask("explain \(name)"))
      } catch is DaemonRefusal {
        // A reload has removed it meanwhile.
        report = nil
      }
      let changes = try JSONObject.array(reply: report?["verdicts"])
      return DoctorFacts.Trigger(
        name: name, values: trigger.shown("value"), problem: trigger.text("problem"),
        changes: trigger.number("changes"), isUnheard: trigger.isMuted || trigger.isInaudible,
        lastPlay: trigger.text("last"),
        lastChange: changes.last.map {
          DoctorFacts.Change(at: $0.shown("at"), verdict: $0.shown("verdict"), reason: $0.shown("reason"))
        })
    }
  }

  /// A value as `list` shows it.
  static func source(_ value: JSONObject, now: Timestamp) -> DoctorFacts.Source {
    var source = DoctorFacts.Source(value: value.text("name") ?? "")
    // `file /home/me/status`, `of temperature`, `command make -q` or `socket`.
    let words = (value.text("source") ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    source.isFed = ["command", "feed"].contains(words.first)
    if words.count == 2, !source.isFed {
      if words[0] == "of" { source.base = words[1] } else { (source.key, source.path) = (words[0], words[1]) }
    }
    source.hasContent = value["value"] != nil
    source.refusal = RefusalText.sentence(value, now: now)
    source.isEvent = value.text("type") == "event"
    // A warning of the daemon says what is wrong with a command.
    source.isStale = value.text("stale") == "true" && value["problem"] == nil
    return source
  }

  /// The daemon's device.
  static func device(of status: JSONObject) -> DoctorFacts.Device {
    let device = status.object("device")
    let state = device.text("state")
    var facts = DoctorFacts.Device(name: device.text("name") ?? "", since: device.text("since"))
    facts.server = device.text("server").flatMap(SoundServer.init)
    switch state {
    case "missing":
      facts.problem = device.text("problem") ?? "cannot play on '\(facts.name)'; the daemon's log says why"
      facts.code = Int32(clamping: device.number("errno") ?? 0)
      facts.detail = device.text("detail")
    case "closed": facts.summary = "closed while nothing plays"
    default:
      facts.summary = "\(device.shown("format")), \(device.shown("rate")) Hz, \(device.shown("channels")) channels"
    }
    return facts
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
    let start = facts.status.flatMap { Warning.all(in: $0).first { [.lastGood, .noConfiguration].contains($0.code) } }
    let use = facts.status == nil ? "" : "; \(start?.description ?? "the daemon continues with what it read before")"
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
      // The rows of the sources show what is wrong with paths. A warning says itself what to do.
      let own = configuration.warnings(file: file, unavailable: mounts.pathProblem)
      let commands =
        facts.status == nil
        ? configuration.commandWarnings(file: file, path: environment.variable("PATH"), unavailable: mounts.pathProblem)
        : []
      let warnings =
        (configuration.ownWarnings + commands).map(\.description) + reported(by: facts.status, besides: own, draft)
      facts.configuration += warnings.map { row(.note, $0) }
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

  /// What the daemon warns of and this command does not see, because it runs with other permissions or has not read the file again.
  private func reported(by status: JSONObject?, besides own: [Warning], _ draft: ConfigurationDraft) -> [String] {
    guard let status else { return [] }
    // The daemon may name the file by a shorter path, so only the positions in it are compared.
    let known = Set(
      own.compactMap(\.position).map { position in
        var position = position
        position.location.file = nil
        return position
      })
    return Warning.all(in: status).filter { warning in
      switch warning.code {
      // This command has looked at everything, and the row 'state' shows what is not saved.
      case .unchecked, .more, .unsaved, .stateLocked: false
      case .notReloaded, .lastGood, .noConfiguration: draft.errors.isEmpty
      default: warning.position.map { !known.contains($0) } ?? true
      }
    }.map(\.description)
  }

  // MARK: Without a daemon

  /// Does what a daemon would: opens the device, loads the sounds, looks for the files.
  private func attempt(
    _ configuration: Configuration, file: String?, withSounds: Bool, _ facts: inout DoctorFacts
  ) {
    let settings = configuration.output
    facts.device = DoctorFacts.Device(name: settings.device)
    var rate = settings.rate ?? 48_000
    if settings.device != OutputSettings.noDevice {
      rate = tryDevice(settings, &facts.device)?.rate ?? rate
    }
    var check = PathCheck()
    facts.sources = configuration.values.map { value in
      var source = DoctorFacts.Source(value: value.name.description)
      if case .file(let path, _, let aspect) = value.source { (source.key, source.path) = (aspect.rawValue, path) }
      look(at: &source, &check)
      return source
    }
    let sounds =
      withSounds
      ? LoadedSounds.load(
        configuration.soundNames,
        locator: environment.soundLocator(configurationFile: file, configuration),
        loader: ClipLoader(rate: rate, limitSeconds: configuration.limits.soundSeconds),
        room: ClipRoom(bytes: configuration.limits.memory, limit: configuration.limits.memory),
        refusal: mounts.problem) : LoadedSounds()
    if let file {
      let warnings = configuration.warnings(sounds, file: file)
      facts.configuration += warnings.map { DoctorRow("configuration", .note, $0.description) }
    }
    facts.triggers = configuration.triggers.map { trigger in
      let problem = trigger.sounds.lazy.compactMap { sounds.problem(of: $0) }.first
      return DoctorFacts.Trigger(
        name: trigger.definition.name, values: trigger.definition.valueNames, problem: problem.map { "\($0)" })
    }
  }

  /// Opens a device, for a second at most, and closes it.
  @discardableResult
  private func tryDevice(_ settings: OutputSettings, _ device: inout DoctorFacts.Device) -> StreamFormat? {
    let found = TriedDevice.tryToOpen(settings)
    device.type = found.type
    device.summary = found.stream?.summary
    device.problem = found.error.map { "\($0)" }
    device.code = abs(found.error?.code ?? 0)
    device.detail = found.error?.detail
    if let stream = found.stream, stream.needsServer {
      device.server = SoundServer.inUse(ofPipeWire: stream.kind == .pipewire, environment)
    }
    return found.stream
  }

  /// `realtime` and `memory` as a daemon's status has them, of an audio thread that is started for this; `nil` if none could be.
  func audioThreadStatus(_ configuration: Configuration) -> JSONObject? {
    guard let output = try? Output(configuration.output, voiceLimit: configuration.limits.voices) else { return nil }
    defer { output.stop() }
    let status = JSONWriter.object { writer in
      writer.member("realtime") { $0.realTime(output) }
      writer.member("memory") { $0.memory(.current) }
    }
    return try? JSONObject(status)
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
    guard let aspect = source.key.flatMap(FileAspect.init(rawValue:)) else { return }
    source.problem = mounts.pathProblem(of: source.path) ?? check.problem(of: source.path, aspect)
    // Whether there is something is the value itself; the daemon makes a pipe that is missing.
    if source.problem != nil || aspect == .exists || aspect == .fifo { return }
    source.isMissing = access(source.path, F_OK) != 0
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
