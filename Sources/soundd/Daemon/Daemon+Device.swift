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
    } else if let stream = output.device {
      noteServer()
      log.info("playing on '\(output.settings.device)': \(stream.summary)")
    } else {
      log.info("playing by the clock, on no device")
    }
  }

  /// Does what is due for the device, and says what has become of it. `lost`: why it was given up just now.
  func keepDevice(_ lost: OutputError? = nil) {
    let (wasReady, wasMissing) = (output.isReady, device.isMissing)
    let news = device.update(lost, at: loop.now)
    // Also if it opened late, or was there again before anybody missed it: then there is no news.
    if !wasReady, output.isReady { pipeline.deviceReturned(at: loop.now) }
    for item in news {
      switch item {
      case .lost(let error): log.error("\(error); \(Self.unheard) until it is back")
      case .missing(let error): log.debug("\(error)")
      case .stuck(let error): log.error("\(error); nothing is heard until then")
      case .back(let stream):
        noteServer()
        log.notice("playing on '\(output.settings.device)' again: \(stream.summary)")
      }
    }
    if wasMissing != device.isMissing { notifySilence(of: nil) }
    if !news.isEmpty, !isLeaving { service.status(summary) }
    watchServers()
  }

  private func noteServer() {
    remembered.server = output.device?.needsServer == true ? SoundServer.inUse(plan.environment) : nil
  }

  /// Why nothing would be heard although the device is open: at rest it does not show that its sound server has ended.
  var serverProblem: OutputError? {
    guard let server = remembered.server, output.device != nil, SoundServer.inUse(plan.environment) == nil else {
      return nil
    }
    return .noServer(server.rawValue, output.settings.device)
  }

  /// While the device is missing, tries it as soon as a sound server makes its socket.
  private func watchServers() {
    if device.isMissing == !remembered.serverWatches.isEmpty { return }
    for watch in remembered.serverWatches { files.close(watch) }
    remembered.serverWatches =
      !device.isMissing
      ? []
      : SoundServer.sockets(plan.environment).map {
        files.open($0, ChangeSource.self) { [unowned self] report in
          guard case .changed = report else { return }
          device.serverAppeared(at: loop.now)
          keepDevice()
        }
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
