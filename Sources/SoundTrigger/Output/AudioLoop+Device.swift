import CALSA
import CLinux
import CMixer
import Glibc
import Synchronization

/// Playing on a device: when to start and stop it, when to write, how commands get in.
///
/// Where frames can be taken back, much is written ahead, and a command goes back to just before what is heard. Where not,
/// little is written ahead.
extension AudioLoop {
  /// One wake-up.
  @_noLocks mutating func stepDevice(_ device: UnsafeMutablePointer<PCMPlayback>) {
    if !run.isRunning {
      if mixer.isIdle() { rest(on: device) } else { start(device) }
      return
    }
    sleep(until: run.wakeTime)
    let now = clinux_monotonic()
    let lateness = now &- run.wakeTime
    if run.wakeTime > 0 && lateness > nanoseconds(device.pointee.stream.periodFrames) {
      shared.late.add(1, ordering: .relaxed)
      margin.strained()
    }
    let before = run.played
    let error = locate(device, now)
    if error < 0 {
      recover(device, recovery.failed(error, at: now))
    } else if run.played > before || run.isUnpaced {
      recovery.progressed(at: now)
      margin.held(run.played &- before)
      play(device, now)
    } else {
      let action = recovery.stood(at: now)
      if case .proceed = action { play(device, now) } else { recover(device, action) }
    }
  }

  /// Sleeps with the device prepared, and notices if it goes away meanwhile.
  @_noLocks private mutating func rest(on device: UnsafeMutablePointer<PCMPlayback>) {
    if shared.isReleasing.exchange(false, ordering: .acquiring) {
      giveBack(device, error: 0)
      return
    }
    if rest(watching: device.pointee.descriptor) { return }
    // Anything but its end comes out at the next start.
    device.pointee.descriptor = -1
    if UInt32(truncatingIfNeeded: calsa_state(device.pointee.handle)) == SND_PCM_STATE_DISCONNECTED.rawValue {
      giveBack(device, error: 0 &- Int(ENODEV))
    }
  }

  // MARK: Start and end

  /// Writes the first frames, starts the device and writes on.
  @_noLocks private mutating func start(_ device: UnsafeMutablePointer<PCMPlayback>) {
    let stream = device.pointee.stream
    run = AudioRun()
    run.isRunning = true
    run.canRewind = stream.kind.mayRewind() && stream.isMapped
    silenceRing(device)
    if run.canRewind {
      mixer.beginTimeline(at: 0)
      _ = mixer.takeCommands(at: 0)
    }
    // Where more can follow at once, a hundredth of a second is enough to start with.
    let most = run.canRewind ? min(stream.shortFrames, rate / 100) : stream.shortFrames
    var error = write(device, upTo: min(most, AudioPlan(stream, canRewind: run.canRewind, isStorm: false).ahead))
    if error >= 0 && run.canRewind { error = tryRewind(device) }
    if error >= 0 { error = Int(calsa_start(device.pointee.handle)) }
    let now = clinux_monotonic()
    recovery.started(at: now)
    clock.start(frame: 0, at: now)
    if error >= 0 {
      // A device that is empty right after it was filled and started plays into nothing.
      var at: Int64 = 0
      error = Int(calsa_avail(device.pointee.handle, now, &at))
      run.isUnpaced = error >= stream.bufferFrames && !stream.kind.mayRewind()
    }
    if error >= 0 {
      reportStarts(device, at: 0)
      error = fill(device, now)
    }
    if error < 0 { recover(device, recovery.failed(error, at: now)) }
  }

  /// Takes back what was written and gives it again, as a trial: there may be a conversion in between that only says it could,
  /// or a driver that cannot. Returns 0 or a negative errno.
  @_noLocks private mutating func tryRewind(_ device: UnsafeMutablePointer<PCMPlayback>) -> Int {
    let taken = Int(calsa_rewind(device.pointee.handle, UInt(truncatingIfNeeded: run.written)))
    if taken < run.written { abandonTimeline() }
    if taken <= 0 { return 0 }
    let given = Int(calsa_forward(device.pointee.handle, UInt(truncatingIfNeeded: taken)))
    return given == taken ? 0 : 0 &- Int(EIO)
  }

  @_noLocks private mutating func abandonTimeline() {
    run.canRewind = false
    mixer.endTimeline()
  }

  /// Ends the run: the device is stopped, and the mixer goes back to where the device was.
  @_noLocks mutating func endRun(_ device: UnsafeMutablePointer<PCMPlayback>) {
    if run.canRewind {
      if run.played < mixer.nextFrame() { _ = mixer.takeCommands(at: run.played) }
      mixer.endTimeline()
    }
    if run.isRunning { _ = calsa_drop(device.pointee.handle) }
    run = AudioRun()
  }

  /// Stops the device if all that was audible has left it; returns whether it did.
  @_noLocks private mutating func stopIfSilent(_ device: UnsafeMutablePointer<PCMPlayback>) -> Bool {
    if run.silentFrom > run.played { return false }
    let heard = run.written &- delay(device)
    // After a second of silence the device's word for what it still holds does not count.
    if heard < run.silentFrom && run.played < run.silentFrom &+ rate && !run.isUnpaced { return false }
    stop(device)
    return true
  }

  /// Ends the run and has the device ready for the next start.
  @_noLocks mutating func stop(_ device: UnsafeMutablePointer<PCMPlayback>) {
    endRun(device)
    let error = Int(calsa_prepare(device.pointee.handle))
    if error < 0 { giveBack(device, error: error) }
  }

  // MARK: Playing

  /// Takes commands, writes what is wanted, or stops the device; the position is known.
  @_noLocks private mutating func play(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) {
    if run.played > run.written {
      catchUp(device, now)
      return
    }
    var error = 0
    if run.canRewind {
      mixer.settle(to: run.played)
      if mixer.hasCommands() { error = change(device, now) }
    }
    if error >= 0 && stopIfSilent(device) { return }
    if error >= 0 { error = fill(device, now) }
    if error < 0 { recover(device, recovery.failed(error, at: now)) }
  }

  /// Carries out commands as early as the device allows and writes what is heard next; returns 0 or a negative errno.
  @_noLocks private mutating func change(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) -> Int {
    // A sound server may take more at once than was agreed on.
    let extra = max(0, clock.step() &- device.pointee.stream.stepFrames)
    // Not before the frame of the last commands, from which the mixer begins.
    let goal = max(run.played &+ margin.frames &+ min(extra, rate / 20), mixer.settledFrame())
    if goal < run.written {
      let taken = Int(calsa_rewind(device.pointee.handle, UInt(truncatingIfNeeded: run.written &- goal)))
      if taken < 0 { return taken }
      if taken == 0 {
        // It has never been able to, or is no more: the commands come after what was written.
        abandonTimeline()
        return 0
      }
      run.written = run.written &- taken
    }
    let first = mixer.takeCommands(at: run.written)
    run.silentFrom = mixer.isSilent() ? first : Int.max
    run.isStorm = now &- run.commandTime < 20_000_000
    run.commandTime = now
    let error = write(device, upTo: first &+ margin.frames &+ extra)
    if error < 0 { return error }
    reportStarts(device, at: first)
    let end = clinux_monotonic()
    let located = locate(device, end)
    if located >= 0 && run.played > first {
      margin.missed()
      shared.missed.add(1, ordering: .relaxed)
    } else if 2 &* (end &- now) > nanoseconds(margin.frames) {
      margin.strained()
    }
    return located
  }

  /// Writes ahead as far as is wanted and decides when to wake up next; returns 0 or a negative errno.
  @_noLocks private mutating func fill(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) -> Int {
    let stream = device.pointee.stream
    let plan = AudioPlan(stream, canRewind: run.canRewind, isStorm: run.isStorm)
    run.isStorm = false
    let position = run.isUnpaced ? clock.frame(at: now) &- plan.ahead &+ stream.periodFrames : run.played
    let first = run.written
    let error = write(device, upTo: position &+ plan.ahead)
    if error < 0 { return error }
    reportStarts(device, at: first)
    var next = run.isUnpaced ? run.written : run.written &- plan.least
    // The end of a voice is news to the control side, and the end of all voices the end of the run.
    if run.canRewind { next = min(next, mixer.nextEnd()) }
    if run.silentFrom < Int.max {
      let heard = run.played &- max(0, run.written &- delay(device))
      next = min(next, run.silentFrom &+ heard)
    }
    // Never at once, lest a device that stands still is asked without a pause.
    run.wakeTime = max(clock.time(of: next), now &+ 500_000)
    return 0
  }

  /// The device has played on beyond what was written: what comes next is written from where it is now.
  @_noLocks private mutating func catchUp(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) {
    let missing = run.played &- run.written
    if run.silentFrom > run.written { noteMissing(missing) }
    let moved = Int(calsa_forward(device.pointee.handle, UInt(truncatingIfNeeded: missing &+ margin.frames)))
    if moved < missing {
      recover(device, .revive)
      return
    }
    run.written = run.written &+ moved
    if run.canRewind { mixer.beginTimeline(at: run.written) }
    play(device, now)
  }

  /// Counts frames that should have been heard and were not.
  @_noLocks func noteMissing(_ frames: Int) {
    shared.xruns.add(1, ordering: .relaxed)
    shared.missing.add(max(0, frames), ordering: .relaxed)
  }

  /// Notes how long the starts carried out last took; the first of their frames is `first`.
  @_noLocks private mutating func reportStarts(_ device: UnsafeMutablePointer<PCMPlayback>, at first: Int) {
    if !mixer.hasStarts() { return }
    let now = clinux_monotonic()
    mixer.reportStarts(at: now, delay: nanoseconds(max(0, delay(device) &- (run.written &- first))))
  }

  @_noLocks private func nanoseconds(_ frames: Int) -> Int64 {
    Int64(truncatingIfNeeded: frames) &* 1_000_000_000 / Int64(truncatingIfNeeded: rate)
  }
}
