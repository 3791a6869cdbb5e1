import CALSA
import CLinux
import Glibc
import Synchronization

/// Plays on a device: starts and stops it, writes, applies commands, and recovers from errors.
///
/// If the device can take frames back, the thread writes far ahead and applies commands shortly after the device's
/// position. Otherwise it writes only a little ahead.
extension AudioLoop {
  /// Starts, plays or rests until the next wake-up.
  @_noLocks mutating func stepDevice(_ device: UnsafeMutablePointer<PCMPlayback>) {
    if !run.isRunning {
      if mixer.isIdle() && !owesSilence {
        rest(on: device)
      } else if begin(device) {
        start(device)
      }
      return
    }
    _ = clinux_sleep(timekeeper, run.wakeTime, -1)
    if !run.isStarted {
      start(device)
      return
    }
    let now = now()
    let lateness = now &- run.wakeTime
    if run.wakeTime > 0 && lateness > nanoseconds(device.pointee.stream.periodFrames) {
      shared.counters.late.add(1, ordering: .relaxed)
      margin.strained(at: now)
    }
    let before = run.played
    let error = locate(device, now)
    if error < 0 {
      recover(device, recovery.failed(error, at: now))
    } else if run.played > before || run.freeRunning {
      recovery.progressed(at: now)
      margin.relax(at: now)
      play(device, now)
    } else {
      let action = recovery.stood(at: now)
      if case .proceed = action { play(device, now) } else { recover(device, action) }
    }
  }

  /// Sleeps with the device stopped, and notices if the device is unplugged meanwhile.
  @_noLocks private mutating func rest(on device: UnsafeMutablePointer<PCMPlayback>) {
    if shared.isReleasing.exchange(false, ordering: .acquiring) {
      giveBack(device, error: 0)
      return
    }
    if !rest(watching: isDescriptorReady ? -1 : device.pointee.descriptor) { return }
    // The next start notices every other error.
    isDescriptorReady = true
    if UInt32(truncatingIfNeeded: calsa_state(device.pointee.pcm)) == SND_PCM_STATE_DISCONNECTED.rawValue {
      giveBack(device, error: 0 &- Int(ENODEV))
    }
  }

  // MARK: Start and end

  /// Begins a run on a device that is still empty. Returns whether it could be prepared.
  @_noLocks private mutating func begin(_ device: UnsafeMutablePointer<PCMPlayback>) -> Bool {
    let stream = device.pointee.stream
    if !stream.kind.restsPrepared() {
      if !prepare(device) { return false }
      recovery.connected()
    }
    run = AudioRun()
    run.isRunning = true
    run.canRewind = stream.kind.mayRewind() && stream.isMapped
    isDescriptorReady = false
    silenceRing(device)
    // If the start fails, nothing was heard, and the mixer goes back.
    mixer.beginTimeline(at: 0)
    _ = mixer.applyCommands(at: 0)
    return true
  }

  /// Writes the first frames, starts the device and writes more. If the device is busy, the next wake-up tries again.
  @_noLocks private mutating func start(_ device: UnsafeMutablePointer<PCMPlayback>) {
    let stream = device.pointee.stream
    // If more frames can follow at once, a hundredth of a second is enough for the start.
    let most = run.canRewind ? min(stream.shortFrames, rate / 100) : stream.shortFrames
    var error = write(device, upTo: min(most, AudioPlan(stream, canRewind: run.canRewind, isStorm: false).ahead))
    if error >= 0 && run.canRewind { error = tryRewind(device) }
    if error >= 0 { error = Int(calsa_start(device.pointee.pcm)) }
    let now = now()
    if error >= 0 {
      run.isStarted = true
      if !run.canRewind { mixer.endTimeline() }
      clock.start(frame: 0, at: now)
      recovery.started(at: now)
      // A device that is empty right after it was filled and started discards its frames at once.
      var at: Int64 = 0
      error = Int(calsa_avail(device.pointee.pcm, now, &at))
      run.freeRunning = error >= stream.bufferFrames && stream.kind.mayRunFreely()
    }
    if error >= 0 {
      reportStarts(device, at: 0)
      // A card faster than the clock may already have played these few frames, so `since: 0` makes `fill` ask it.
      error = fill(device, now, since: 0)
    }
    if error < 0 { recover(device, recovery.failed(error, at: now)) }
  }

  /// Takes the written frames back and writes them again as a trial, because some conversions and drivers only claim that they
  /// can rewind. If this one cannot, the timeline ends with the start, because the mixer goes back if that fails. Returns 0 or a
  /// negative errno.
  @_noLocks private mutating func tryRewind(_ device: UnsafeMutablePointer<PCMPlayback>) -> Int {
    let taken = Int(calsa_rewind(device.pointee.pcm, UInt(truncatingIfNeeded: run.written)))
    if taken < 0 {
      if PCMRecovery.isState(taken) { return taken }
      run.canRewind = false
      return 0
    }
    let given = taken > 0 ? Int(calsa_forward(device.pointee.pcm, UInt(truncatingIfNeeded: taken))) : 0
    if given < 0 {
      // The next attempt writes these frames again.
      run.written = run.written &- taken
      run.staged = 0
      _ = mixer.applyCommands(at: run.written)
      return given
    }
    if taken < run.written { run.canRewind = false }
    return given == taken ? 0 : 0 &- Int(EIO)
  }

  /// Ends the run: stops the device and takes the mixer back to the device's last position.
  @_noLocks mutating func endRun(_ device: UnsafeMutablePointer<PCMPlayback>) {
    if mixer.hasTimeline() {
      if run.played < mixer.nextFrame() { _ = mixer.applyCommands(at: run.played) }
      mixer.endTimeline()
    }
    if run.isRunning {
      _ = calsa_drop(device.pointee.pcm)
      owesSilence = run.isStarted && !run.freeRunning && device.pointee.stream.kind.endsWithSilence()
    }
    run = AudioRun()
  }

  /// Stops the device if all audible frames have been heard, and the silence after them. Returns whether it did.
  @_noLocks private mutating func stopIfSilent(_ device: UnsafeMutablePointer<PCMPlayback>) -> Bool {
    let end = run.silenceEnd(device.pointee.stream)
    if end > run.played { return false }
    let heard = run.written &- delay(device)
    // After a second of silence the thread ignores the delay that the device reports.
    if heard < end && run.played < end &+ rate && !run.freeRunning { return false }
    stop(device)
    owesSilence = false
    return true
  }

  /// Ends the run and leaves the device as it rests.
  @_noLocks private mutating func stop(_ device: UnsafeMutablePointer<PCMPlayback>) {
    endRun(device)
    if device.pointee.stream.kind.restsPrepared() { _ = prepare(device) }
  }

  /// Prepares the device for a start. Gives it back if that fails; returns whether it worked.
  @_noLocks private mutating func prepare(_ device: UnsafeMutablePointer<PCMPlayback>) -> Bool {
    let error = Int(calsa_prepare(device.pointee.pcm))
    if error < 0 { giveBack(device, error: error) }
    return error >= 0
  }

  // MARK: Playing

  /// Applies commands, writes ahead or stops the device. The caller has just read the position.
  @_noLocks private mutating func play(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) {
    if run.played > run.written && !skipMissed(device, now) { return }
    var error = 0
    if run.canRewind {
      mixer.moveCheckpoint(to: run.played)
      if mixer.hasCommands() { error = change(device, now) }
    }
    if error >= 0 && stopIfSilent(device) { return }
    if error >= 0 { error = fill(device, now, since: now) }
    if error < 0 { recover(device, recovery.failed(error, at: now)) }
  }

  /// Applies commands at the earliest frame that the device allows, and writes the next frames. Returns 0 or a negative errno.
  @_noLocks private mutating func change(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) -> Int {
    // A sound server may take more frames at once than it agreed to.
    let extra = max(0, clock.step() &- device.pointee.stream.stepFrames)
    // The mixer cannot go back further than the frame at which it last applied commands.
    let goal = max(run.played &+ margin.frames &+ min(extra, rate / 20), mixer.checkpointFrame())
    if goal < run.written {
      let taken = Int(calsa_rewind(device.pointee.pcm, UInt(truncatingIfNeeded: run.written &- goal)))
      if taken < 0 { return taken }
      if taken == 0 {
        // The device cannot rewind, or no longer. So the commands apply after the last frame written.
        run.canRewind = false
        mixer.endTimeline()
        return 0
      }
      run.written = run.written &- taken
    }
    run.staged = 0
    let first = mixer.applyCommands(at: run.written)
    run.silentFrom = mixer.isSilent() ? first : Int.max
    run.isStorm = now &- run.commandTime < 20_000_000
    run.commandTime = now
    let error = write(device, upTo: first &+ margin.frames &+ extra)
    if error < 0 { return error }
    reportStarts(device, at: first)
    let end = self.now()
    let located = locate(device, end)
    if located >= 0 && run.played > first {
      margin.missed(at: end)
      shared.counters.missed.add(1, ordering: .relaxed)
    } else if 2 &* (end &- now) > nanoseconds(margin.frames) {
      margin.strained(at: end)
    }
    return located
  }

  /// Writes ahead as far as `AudioPlan` says, and decides when to wake up next. Returns 0 or a negative errno.
  ///
  /// The position was read at `located` or later. If `located` is 0, the card is asked in any case.
  @_noLocks private mutating func fill(
    _ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64, since located: Int64
  ) -> Int {
    let stream = device.pointee.stream
    let plan = AudioPlan(stream, canRewind: run.canRewind, isStorm: run.isStorm)
    run.isStorm = false
    let position = run.freeRunning ? clock.frame(at: now) &- plan.ahead &+ stream.periodFrames : run.played
    let first = run.written
    let error = write(device, upTo: position &+ plan.ahead)
    if error < 0 { return error }
    if stream.runsOn {
      let error = countStall(device, since: located, from: first)
      if error < 0 { return error }
    }
    recovery.served()
    reportStarts(device, at: first)
    var next = run.freeRunning ? run.written : run.written &- plan.least
    // Wakes up at the end of a voice, because the control side waits for that.
    if run.canRewind { next = min(next, mixer.nextEnd()) }
    if run.silentFrom < Int.max {
      let heard = run.played &- max(0, run.written &- delay(device))
      next = min(next, run.silenceEnd(stream) &+ heard)
    }
    // Always after a pause, because otherwise the thread would ask a halted device again and again.
    run.wakeTime = max(clock.time(of: next), now &+ 500_000)
    return 0
  }

  /// Skips to the device's position, because the device has played past the last frame written. Returns whether it could.
  @_noLocks private mutating func skipMissed(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) -> Bool {
    let missing = run.played &- run.written
    let moved = Int(calsa_forward(device.pointee.pcm, UInt(truncatingIfNeeded: missing &+ margin.frames)))
    if moved < missing {
      recover(device, recovery.failed(moved < 0 ? moved : 0 &- Int(EPIPE), at: now))
      return false
    }
    if run.silentFrom > run.written { noteMissing(missing) }
    run.written = run.written &+ moved
    run.staged = 0
    // All written frames were played. Silences the whole ring, because it may still hold frames that were taken back.
    silenceRing(device)
    run.cleared = run.written
    if run.canRewind { mixer.beginTimeline(at: run.written) }
    return true
  }

  /// Counts the frames that a card lacked because the thread was stopped between reading the position and writing from
  /// `first` on. Returns 0 or a negative errno.
  @_noLocks private mutating func countStall(
    _ device: UnsafeMutablePointer<PCMPlayback>, since located: Int64, from first: Int
  ) -> Int {
    let now = now()
    // Asks the card only if at least half of the written-ahead time has passed. Half, because the card's steps differ from
    // the clock's.
    if 2 &* (now &- located) < nanoseconds(first &- run.played) { return 0 }
    let error = locate(device, now)
    if error >= 0 && run.played > first && run.silentFrom > first { noteMissing(min(run.played, run.written) &- first) }
    return error
  }

  /// Counts an xrun, and the frames that were not heard because of it.
  @_noLocks private func noteMissing(_ frames: Int) {
    shared.counters.xruns.add(1, ordering: .relaxed)
    shared.counters.missing.add(max(0, frames), ordering: .relaxed)
  }

  /// Reports the latest starts with their latency. Their first frame is `first`.
  @_noLocks private mutating func reportStarts(_ device: UnsafeMutablePointer<PCMPlayback>, at first: Int) {
    if !mixer.hasStarts() { return }
    let delay = delay(device) &- (run.written &- first)
    // Until they know what follows, PulseAudio and JACK count only what we have written, or a few frames more.
    let stream = device.pointee.stream
    let isKnown = delay > stream.periodFrames || stream.kind.knowsDelay()
    mixer.reportStarts(at: now(), delay: isKnown ? nanoseconds(max(0, delay)) : nil)
  }

  @_noLocks private func nanoseconds(_ frames: Int) -> Int64 {
    Int64(truncatingIfNeeded: frames) &* 1_000_000_000 / Int64(truncatingIfNeeded: rate)
  }

  // MARK: Errors

  /// Performs the action that `PCMRecovery` chose.
  @_noLocks private mutating func recover(_ device: UnsafeMutablePointer<PCMPlayback>, _ action: PCMRecovery.Action) {
    let now = now()
    switch action {
    // After a pause, because otherwise the thread would ask a device that never recovers again and again.
    case .proceed: run.wakeTime = now &+ 500_000
    case .wait(let pause): run.wakeTime = now &+ pause
    case .restart:
      let due = duePosition(now)
      if due >= run.written {
        // All written frames have been played.
        if run.silentFrom > run.written { noteMissing(due &- run.written) }
        margin.missed(at: now)
      }
      // Otherwise something else stopped it, such as a sound server that went away. The rest has not been heard yet.
      run.played = max(run.played, min(due, run.written))
      stop(device)
    case .revive: stop(device)
    case .resume:
      // If the device cannot resume, the next run begins at this frame.
      run.played = max(run.played, min(duePosition(now), run.written))
      let answer = Int(calsa_resume(device.pointee.pcm))
      let state = UInt32(truncatingIfNeeded: calsa_state(device.pointee.pcm))
      // A device that was suspended before its start is then prepared.
      let isBack = state == (run.isStarted ? SND_PCM_STATE_RUNNING : SND_PCM_STATE_PREPARED).rawValue
      recover(device, recovery.resumed(answer, isBack: isBack, at: now))
    case .giveUp(let code): giveBack(device, error: code)
    }
  }

  /// The frame at which the device should be; 0 if it has never been seen to play.
  @_noLocks private func duePosition(_ now: Int64) -> Int { run.played > 0 ? clock.frame(at: now) : 0 }
}
