import Glibc
import SoundTrigger

/// Finds out what keeps sounds from being heard, or from being heard in time. Each check returns its row.
struct Doctor {
  let environment: SystemEnvironment
  /// What stands before `/proc`, `/sys` and `/dev`; empty outside tests.
  var root = ""

  /// Makes all checks, what others depend on first: against the running daemon, or by trying in this process.
  ///
  /// Blocks while a device opens and sounds load. Throws only if a socket's path makes no sense.
  func rows(configuration option: String?, socket: String?) throws -> [DoctorRow] {
    let (daemon, status) = askDaemon(try socketPath(socket))
    let configuration = readConfiguration(option ?? status?.text("configuration"))
    let folders = environment.soundFolders(configurationFile: configuration.file).filter { access($0, F_OK) == 0 }
    let attempt = status == nil ? try attempt(configuration.settings, file: configuration.file) : nil
    let device = status.map { self.device($0.object("device")) } ?? attempt?.device
    let name = status?.object("device").text("name") ?? configuration.settings.output.device
    let complaints = status.map(brokenTriggers) ?? attempt?.complaints ?? []
    return [daemon, runtimeFolder, stateFolder, configuration.row, sounds(folders, complaints)]
      + (device.map { [$0] } ?? []) + [server, cards(device: name)]
      + ((status ?? attempt?.status).map(audioThread) ?? []) + [kernel, processor, clock]
  }

  // MARK: The daemon

  /// `nil` if the environment names no place for a socket; that is a finding, not an error.
  private func socketPath(_ option: String?) throws -> String? {
    do throws(SocketPath.Problem) {
      return try SocketPath.resolve(option: option, environment: { environment.variable($0) })
    } catch .notSet {
      return nil
    }
  }

  /// Asks the daemon for its status.
  func askDaemon(_ socket: String?) -> (row: DoctorRow, status: JSONObject?) {
    let none = DoctorRow(
      "daemon", .note,
      "none runs \(socket.map { "on \($0)" } ?? "that could be asked"): the device, priority and memory are those of this "
        + "command", remedy: "systemctl --user start soundd")
    guard let socket else { return (none, nil) }
    var problem = "soundd on \(socket) does not tell its status"
    do {
      if case .line(let line) = try DaemonConnection(path: socket).request("status") {
        let status = try JSONObject(reply: line)
        return (DoctorRow("daemon", .ok, "one runs on \(socket): the device, priority and memory are its own"), status)
      }
    } catch DaemonConnection.Problem.noDaemon {
      return (none, nil)
    } catch {
      problem = "\(error)"
    }
    return (DoctorRow("daemon", .warning, problem, remedy: "systemctl --user status soundd"), nil)
  }

  // MARK: Folders

  var runtimeFolder: DoctorRow {
    let path = environment.path(of: .runtime)
    var status = stat()
    if let path, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(path, W_OK | X_OK) == 0 {
      return DoctorRow("runtime folder", .ok, path)
    }
    return DoctorRow(
      "runtime folder", .warning,
      path.map { "XDG_RUNTIME_DIR is \($0), which is no folder that this user may write in" }
        ?? "XDG_RUNTIME_DIR is not set: neither soundd's socket nor the sound server's is found",
      remedy:
        "log in through PAM (a login manager, ssh, 'machinectl shell'), or export XDG_RUNTIME_DIR=/run/user/$(id -u)")
  }

  var stateFolder: DoctorRow {
    let loss = "a restart forgets volume, profile, throttles and what values held"
    guard let file = StateFile(environment: environment) else {
      return DoctorRow(
        "state folder", .warning, "neither XDG_STATE_HOME nor HOME is set to an absolute path: \(loss)",
        remedy: "export XDG_STATE_HOME=~/.local/state")
    }
    if file.mayBeWritten { return DoctorRow("state folder", .ok, file.folder) }
    return DoctorRow(
      "state folder", .warning, "this user may not write in \(file.folder): \(loss)",
      remedy: "mkdir -p '\(file.folder)' && ls -ld '\(file.folder)'; or export XDG_STATE_HOME=…")
  }

  // MARK: The configuration

  /// Reads the given file, or the one that `soundd run` would read; without one, the settings are the defaults.
  func readConfiguration(_ option: String?) -> (row: DoctorRow, file: String?, settings: Configuration) {
    var file: String?
    do throws(Failure) {
      let found = try ConfigurationFile.locate(option, environment: environment)
      file = found
      let settings = try ConfigurationFile.read(found, environment: environment)
      return (DoctorRow("configuration", .ok, found), found, settings)
    } catch {
      let text = error.description.split(separator: "\n").joined(separator: "; ")
      let row =
        file == nil
        ? DoctorRow("configuration", .note, text) : DoctorRow("configuration", .error, text, remedy: "soundd check")
      return (row, file, Configuration())
    }
  }

  func sounds(_ folders: [String], _ complaints: [String]) -> DoctorRow {
    if !complaints.isEmpty {
      return DoctorRow("sounds", .error, complaints.joined(separator: "; "), remedy: "soundd check")
    }
    if folders.isEmpty {
      return DoctorRow(
        "sounds", .warning, "there is no folder of sounds: only a path finds a sound", remedy: "make install")
    }
    return DoctorRow("sounds", .ok, folders.joined(separator: ", "))
  }

  func brokenTriggers(_ status: JSONObject) -> [String] {
    let triggers = status["triggers"].flatMap { try? JSONObject.array($0) } ?? []
    return triggers.filter { $0.text("state") == "broken" }.map {
      "trigger '\($0.shown("name"))' cannot play '\($0.shown("sound"))'"
    }
  }

  // MARK: The device

  /// The daemon's device, from its status.
  func device(_ device: JSONObject) -> DoctorRow {
    let name = "'\(device.shown("name"))'"
    switch device.text("state") {
    case "clock": return Self.clockOnly(name)
    case "missing":
      return DoctorRow(
        "device", .error, "cannot play on \(name); the daemon's log says why", remedy: remedy(forDevice: nil))
    default:
      return DoctorRow(
        "device", .ok,
        "\(name): \(device.shown("format")), \(device.shown("rate")) Hz, \(device.shown("channels")) channels, "
          + "buffer \(device.shown("buffer_frames")) frames, period \(device.shown("period_frames"))")
    }
  }

  static func clockOnly(_ name: String) -> DoctorRow {
    DoctorRow("device", .note, "\(name): the configuration asks for a clock and no card")
  }

  /// What helps if a device does not open; `code` is the errno, if it is known.
  func remedy(forDevice code: Int32?) -> String {
    switch code.map(abs) {
    case EBUSY: "fuser -v /dev/snd/* shows who has it; or share it: [output] device = \"default\""
    case EACCES, EPERM: groupRemedy
    case ELIBACC: "sudo apt install libasound2"
    case EHOSTDOWN, ECONNREFUSED: "systemctl --user start pipewire wireplumber"
    default: "aplay -L lists the devices: [output] device = \"…\"; or play on none: [output] device = \"none\""
    }
  }

  var groupRemedy: String { "sudo usermod -aG audio \(user), then log in again" }

  /// The user's name, for commands that need it.
  var user: String {
    if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
    return environment.variable("USER") ?? "$USER"
  }

  /// Tries what a daemon would do: the device opens, the sounds load, the audio thread asks for priority. Plays nothing.
  ///
  /// Returns the row of the device, what is wrong with the configuration's sounds, and `realtime` and `memory` as a daemon's
  /// status has them; the latter is `nil` if no audio thread could be started.
  private func attempt(
    _ configuration: Configuration, file: String?
  ) throws -> (device: DoctorRow, complaints: [String], status: JSONObject?) {
    let settings = configuration.output
    let name = "'\(settings.device)'" + (PCMDevice.typeName(of: settings.device).map { " (\($0))" } ?? "")
    func failed(_ error: OutputError) -> DoctorRow {
      DoctorRow("device", .error, "\(error)", remedy: remedy(forDevice: error.code))
    }
    let output: Output
    do throws(OutputError) {
      output = try Output(settings, voiceLimit: configuration.limits.voices)
    } catch {
      return (failed(error), [], nil)
    }
    defer { output.stop() }
    let stream = output.device.map { DoctorRow("device", .ok, "\(name): \($0.summary)") }
    let sounds = LoadedSounds.load(
      configuration.soundNames, locator: environment.soundLocator(configurationFile: file),
      loader: ClipLoader(rate: output.rate, limitSeconds: configuration.limits.soundSeconds))
    let status = JSONWriter.object { writer in
      writer.member("realtime") { $0.realTime(output) }
      writer.member("memory") { $0.memory(.current) }
    }
    return (
      stream ?? output.deviceError.map(failed) ?? Self.clockOnly(name), sounds.complaints(configuration, file: file),
      try JSONObject(status)
    )
  }
}
