import SoundTrigger

/// Gathers what `soundd doctor` judges: from a running daemon, or by trying in this process.
struct Examination {
  let environment: SystemEnvironment
  let configurationOption: String?
  let socketOption: String?

  /// Looks everywhere. Blocks as long as a device takes to open and sounds take to load. Throws only for a socket's path
  /// that makes no sense.
  func run() throws(Failure) -> DoctorFindings {
    let system = SystemProbe(environment: environment)
    let (file, configuration, state) = readConfiguration()
    var findings = DoctorFindings(
      user: system.user, socket: try socketPath(), daemon: .none, runtimeFolder: system.runtimeFolder,
      stateFolder: system.stateFolder, configuration: state,
      sounds: .init(folders: system.existing(environment.soundFolders(configurationFile: file)), complaints: []),
      device: .init(name: configuration.output.device, kind: nil, state: .clock), server: system.server,
      cards: system.cards, realTime: nil, memory: nil, kernel: system.kernel, processor: system.processor,
      clock: system.clock)
    if let socket = findings.socket { findings.daemon = ask(socket, &findings) }
    if findings.daemon != .running { rehearse(configuration, file: file, &findings) }
    return findings
  }

  private func readConfiguration() -> (file: String?, Configuration, DoctorFindings.ConfigurationState) {
    let file: String
    do throws(Failure) {
      file = try ConfigurationFile.locate(configurationOption, environment: environment)
    } catch {
      return (nil, Configuration(), .missing(error.description))
    }
    do throws(Failure) {
      return (file, try ConfigurationFile.read(file, environment: environment), .good(file: file))
    } catch {
      return (file, Configuration(), .bad(error.description))
    }
  }

  /// `nil` if there is none; that is a finding, not an error.
  private func socketPath() throws(Failure) -> String? {
    do throws(SocketPath.Problem) {
      return try SocketPath.resolve(option: socketOption, environment: { environment.variable($0) })
    } catch {
      if error == .notSet { return nil }
      throw Failure(.usage, "\(error)")
    }
  }

  // MARK: A running daemon

  private func ask(_ socket: String, _ findings: inout DoctorFindings) -> DoctorFindings.Daemon {
    let reply: [UInt8]
    do throws(Client.Problem) {
      guard case .line(let line) = try Client(path: socket).request("status") else {
        return .unreachable("soundd on \(socket) does not tell its status")
      }
      reply = line
    } catch {
      if case .noDaemon = error { return .none }
      return .unreachable("\(error)")
    }
    do throws(Failure) {
      try findings.take(status: JSONReply(reply))
      return .running
    } catch {
      return .unreachable(error.description)
    }
  }

  // MARK: In this process

  /// Does all that a daemon does before it is ready, and notes how it goes. Nothing is played.
  private func rehearse(_ configuration: Configuration, file: String?, _ findings: inout DoctorFindings) {
    let settings = configuration.output
    findings.device.kind = DeviceKind.name(of: settings.device)
    let output: Output
    do throws(OutputError) {
      output = try Output(settings, voiceLimit: configuration.limits.voices)
    } catch {
      findings.device.state = .fails("\(error)", code: error.code)
      return
    }
    if let stream = output.device {
      findings.device.state = .opens(stream.summary)
    } else if let error = output.deviceError {
      findings.device.state = .fails("\(error)", code: error.code)
    }
    let shelf = SoundShelf(
      loading: configuration.triggers.flatMap(\.definition.sound.names),
      locator: environment.soundLocator(configurationFile: file),
      loader: ClipLoader(rate: output.rate, limitSeconds: configuration.limits.soundSeconds))
    findings.sounds.complaints = shelf.complaints(configuration, file: file)
    findings.realTime = StatusReport.RealTime(output)
    findings.memory = StatusReport.Memory(.current)
    output.stop()
  }
}
