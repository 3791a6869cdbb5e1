import Glibc
import Logging
import SoundTrigger

/// What the daemon plays on, and how well: what the log says of it.
extension Daemon {
  private static let unheard = "playing by the clock, so nothing is heard"

  /// Says what the daemon plays on at first.
  func logDevice() {
    if let error = output.deviceError {
      let end = error.isSilence ? "it does" : "it can be opened (see 'soundd devices' for the devices)"
      log.error("\(error); \(Self.unheard) until \(end)")
      if let detail = error.detail { log.debug("ALSA: \(detail)") }
    } else if let stream = output.device {
      noteOpening()
      log.info("playing on '\(output.settings.device)': \(stream.summary)")
    } else {
      log.info("playing by the clock, on no device")
    }
  }

  /// Does what is due for the device, and says what has become of it. `lost`: why it was given up just now.
  func keepDevice(_ lost: OutputError? = nil) {
    let (wasReady, wasMissing, server) = (output.isReady, device.isMissing, remembered.server)
    searchServer()
    let news = device.update(lost, at: loop.now)
    // Also if it opened late, or was there again before anybody missed it: then there is no news.
    if !wasReady, output.isReady {
      noteOpening()
      pipeline.deviceReturned(at: loop.now)
    }
    for item in news {
      switch item {
      case .lost(let error) where error.isReopening: log.notice("\(error)")
      case .lost(let error): log.error("\(error); \(Self.unheard) until it is back")
      case .missing(let error): log.debug("\(error)\(error.detail.map { "; ALSA: \($0)" } ?? "")")
      case .stuck(let error): log.error("\(error); nothing is heard until then")
      case .back(let stream): log.notice("playing on '\(output.settings.device)' again: \(stream.summary)")
      }
    }
    if news.isEmpty, let new = remembered.server, new != server, let stream = output.device {
      log.notice("playing on '\(output.settings.device)', which is \(new.rawValue) now: \(stream.summary)")
    }
    if wasMissing != device.isMissing { notifySilence(of: nil) }
    if !news.isEmpty, !isLeaving { service.status(summary) }
    watchServers()
  }

  private func noteOpening() {
    let stream = output.device.flatMap { $0.needsServer ? $0 : nil }
    remembered.server = stream.flatMap { SoundServer.inUse(ofPipeWire: $0.kind == .pipewire, plan.environment) }
    remembered.serverSearch.opened(mayMove: mayMoveToServer, at: loop.now)
  }

  /// When to call `keepDevice`, if nothing happens before; `nil` at no particular time.
  var deviceDeadline: Instant? { Instant.earlier(device.deadline, remembered.serverSearch.next) }

  /// Why nothing would be heard although the device is open: at rest it does not show that its sound server has ended.
  var serverProblem: OutputError? {
    guard let server = remembered.server, output.device != nil || output.isReleased, !server.isThere(plan.environment)
    else { return nil }
    return .noServer(server.rawValue, output.settings.device)
  }

  /// Whether the device is open, and a sound server would play it if it were opened while that runs.
  private var mayMoveToServer: Bool {
    guard let stream = output.device else { return false }
    return !stream.needsServer && SoundServer.mayPlay(output.settings.device)
  }

  /// Until a sound server plays the device, watches the sockets of all. A device that is missing is tried as soon as one appears, and
  /// another one is opened again.
  private func watchServers() {
    let mayMove = mayMoveToServer
    if !mayMove { remembered.serverSearch.closed() }
    if (device.isMissing || mayMove) == !remembered.serverWatches.isEmpty { return }
    for watch in remembered.serverWatches { files.close(watch) }
    remembered.serverWatches =
      !(device.isMissing || mayMove)
      ? []
      : SoundServer.sockets(plan.environment).map { path in
        files.open(path, ChangeSource.self) { [unowned self] report in
          if case .changed = report { socketChanged(path) }
        }
      }
  }

  private func socketChanged(_ path: String) {
    // Its end is not news.
    if access(path, F_OK) != 0 { return }
    if device.isMissing { device.serverAppeared(at: loop.now) }
    if mayMoveToServer { remembered.serverSearch.socketChanged(at: loop.now) }
    keepDevice()
  }

  /// Looks whether a sound server listens, if that is due. Then the device is opened again.
  private func searchServer() {
    if let next = remembered.serverSearch.next, next <= loop.now,
      remembered.serverSearch.look(listens: SoundServer.inUse(plan.environment) != nil, at: loop.now)
    {
      log.info("a sound server runs: '\(output.settings.device)' is opened again")
      device.reopen(at: loop.now)
    }
  }

  /// Says what the audio thread got of what low latency takes. `watch` is tried by people who want to hear a sound first.
  func logRealTime() {
    let level: Logger.Level = plan.paths.isEmpty ? .debug : .notice
    let priority = output.priority
    remembered.wasRealTime = priority.isRealTime
    if priority.isRealTime {
      log.info("real-time priority \(priority.priority) (\(priority.policy.rawValue), by \(priority.way.rawValue))")
    } else {
      log.log(level: level, "no real-time priority: \(priority.reason); 'soundd doctor --latency' tells what to do")
    }
    if let reason = LockedMemoryUsage.current.shortage() {
      log.log(level: level, "not all memory is locked: \(reason); 'soundd doctor --latency' tells what to do")
    }
  }

  /// Says so if the audio thread lost its priority.
  func watchPriority() {
    guard remembered.wasRealTime else { return }
    let priority = output.priority
    if priority.isRealTime { return }
    remembered.wasRealTime = false
    log.error("the audio thread is no longer real-time: \(priority.reason); a restart may help")
  }
}

extension StreamFormat {
  /// For people: `float32, 48000 Hz, 2 channels, buffer 480 frames (10.0 ms), period 120`. A ring is a buffer whose frames
  /// can be changed until they are played.
  var summary: String {
    let tenths = (bufferFrames * 10_000 + rate / 2) / rate
    return
      "\(format), \(rate) Hz, \(channels) \(channels == 1 ? "channel" : "channels"), "
      + "\(kind.mayRewind() ? "ring" : "buffer") \(bufferFrames) frames (\(tenths / 10).\(tenths % 10) ms), period \(periodFrames)"
  }
}
