import CALSA
import CLinux
import CMixer
import Glibc
import Synchronization

extension AudioLoop {
  /// Waits for the device and fills it once; at rest, waits for something to play.
  @_noLocks mutating func stepDevice(_ device: UnsafeMutablePointer<PCMPlayback>) {
    if !isRunning && mixer.isIdle() {
      waitForWork()
      return
    }
    if isRunning {
      let ready = waitForDevice(device)
      if ready < 0 { recover(device, from: ready) }
      if ready <= 0 { return }
    }
    let available = Int(calsa_avail_update(device.pointee.handle))
    if available < 0 {
      recover(device, from: available)
      return
    }
    if isRunning && !isUnpaced && available >= 2 &* device.pointee.stream.periodFrames {
      shared.late.add(1, ordering: .relaxed)
    }
    let framesBefore = framesSinceStart
    let error = fill(device, available: available)
    if error < 0 {
      recover(device, from: error)
      return
    }
    if !isRunning {
      start(device)
    } else if silentFrames >= device.pointee.stream.bufferFrames {
      rest(device)
    }
    if mixer.hasArrivals() { recordArrivals(device, framesAgo: framesSinceStart &- framesBefore) }
  }

  /// Notes how long the starts of this wake-up take until they are heard; their first frames were written `framesAgo`.
  @_noLocks private mutating func recordArrivals(_ device: UnsafeMutablePointer<PCMPlayback>, framesAgo: Int) {
    var delay = 0
    let isKnown = isRunning && calsa_delay(device.pointee.handle, &delay) == 0
    recordArrivals(delayFrames: isKnown ? max(0, delay &- framesAgo) : 0)
  }

  /// Writes whole periods while they fit; returns 0 or a negative errno.
  @_noLocks private mutating func fill(_ device: UnsafeMutablePointer<PCMPlayback>, available: Int) -> Int {
    let stream = device.pointee.stream
    var left = available
    while left >= stream.periodFrames || (!isRunning && left > 0) {
      if isUnpaced && time(ofFrame: framesSinceStart) > clinux_monotonic() { return 0 }
      let wasIdle = mixer.isIdle()
      let frames = min(left, min(stream.periodFrames, maximumFrames))
      let written = stream.isMapped ? writeMapped(device, frames) : writeCopied(device, frames)
      if written <= 0 { return written }
      framesSinceStart = framesSinceStart &+ written
      left = left &- written
      // The block in which the last voice ends is not yet a silent one.
      silentFrames = wasIdle && mixer.isIdle() ? silentFrames &+ written : 0
    }
    return 0
  }

  @_noLocks private mutating func writeMapped(_ device: UnsafeMutablePointer<PCMPlayback>, _ frames: Int) -> Int {
    var address: UnsafeMutableRawPointer?
    var offset: UInt = 0
    var length = UInt(truncatingIfNeeded: frames)
    let error = calsa_mmap_begin(device.pointee.handle, &address, &offset, &length)
    if error < 0 { return Int(error) }
    guard let address, length > 0 else { return 0 }
    let contiguous = min(frames, Int(truncatingIfNeeded: length))
    mixer.render(
      into: address, frames: contiguous, format: device.pointee.stream.format, channels: device.pointee.stream.channels)
    return Int(calsa_mmap_commit(device.pointee.handle, offset, UInt(truncatingIfNeeded: contiguous)))
  }

  @_noLocks private mutating func writeCopied(_ device: UnsafeMutablePointer<PCMPlayback>, _ frames: Int) -> Int {
    mixer.render(
      into: staging, frames: frames, format: device.pointee.stream.format, channels: device.pointee.stream.channels)
    return Int(calsa_writei(device.pointee.handle, staging, UInt(truncatingIfNeeded: frames)))
  }

  @_noLocks private mutating func start(_ device: UnsafeMutablePointer<PCMPlayback>) {
    let error = Int(calsa_start(device.pointee.handle))
    if error < 0 {
      recover(device, from: error)
      return
    }
    isRunning = true
    timeouts = 0
    startTime = clinux_monotonic()
    // A device that is empty right after it was filled and started plays into nothing.
    let available = Int(calsa_avail_update(device.pointee.handle))
    isUnpaced = available == device.pointee.stream.bufferFrames
  }

  /// Stops the device once all that was audible has left it, and has it ready for the next start.
  @_noLocks private mutating func rest(_ device: UnsafeMutablePointer<PCMPlayback>) {
    var delay = 0
    if calsa_delay(device.pointee.handle, &delay) == 0 && delay > silentFrames { return }
    _ = calsa_drop(device.pointee.handle)
    prepare(device)
  }

  @_noLocks private mutating func prepare(_ device: UnsafeMutablePointer<PCMPlayback>) {
    isRunning = false
    isUnpaced = false
    silentFrames = 0
    framesSinceStart = 0
    startTime = 0
    let error = Int(calsa_prepare(device.pointee.handle))
    if error < 0 { giveBack(device, error: error) }
  }

  /// Waits until a period fits; returns 1 when it does, 0 for a false alarm, or a negative errno.
  @_noLocks private mutating func waitForDevice(_ device: UnsafeMutablePointer<PCMPlayback>) -> Int {
    if isUnpaced {
      sleepUntilDue()
      return 1
    }
    // Asked for anew every time: the PipeWire plugin's descriptor would otherwise stay readable for ever.
    let count = calsa_poll_descriptors(device.pointee.handle, descriptors, descriptorCapacity &- 1)
    if count < 0 { return Int(count) }
    let length = UInt32(truncatingIfNeeded: count)
    // The control side must not have to wait for a device that hangs, least of all to stop.
    descriptors[Int(count)].fd = shared.wake
    descriptors[Int(count)].events = Int16(truncatingIfNeeded: POLLIN)
    descriptors[Int(count)].revents = 0
    let polled = clinux_poll(descriptors, length &+ 1, 500_000_000)
    if polled < 0 { return 0 }
    if descriptors[Int(count)].revents != 0 {
      _ = clinux_drain(shared.wake)
      if polled == 1 { return 0 }
    }
    if polled == 0 {
      timeouts &+= 1
      return timeouts < 4 ? 0 : 0 &- Int(EIO)
    }
    timeouts = 0
    var events: UInt16 = 0
    let error = calsa_poll_revents(device.pointee.handle, descriptors, length, &events)
    if error < 0 { return Int(error) }
    if events & UInt16(truncatingIfNeeded: POLLERR | POLLNVAL) != 0 { return errorOfState(device) }
    return events & UInt16(truncatingIfNeeded: POLLOUT) != 0 ? 1 : 0
  }

  /// poll says only that something is wrong; the state says what.
  @_noLocks private func errorOfState(_ device: UnsafeMutablePointer<PCMPlayback>) -> Int {
    switch UInt32(truncatingIfNeeded: calsa_state(device.pointee.handle)) {
    case SND_PCM_STATE_XRUN.rawValue: 0 &- Int(EPIPE)
    case SND_PCM_STATE_SUSPENDED.rawValue: 0 &- Int(ESTRPIPE)
    case SND_PCM_STATE_DISCONNECTED.rawValue: 0 &- Int(ENODEV)
    default: 1
    }
  }

  @_noLocks private mutating func recover(_ device: UnsafeMutablePointer<PCMPlayback>, from code: Int) {
    switch PCMRecovery.action(for: code) {
    case .wait: sleep(until: clinux_monotonic() &+ 1_000_000)
    case .restart:
      shared.xruns.add(1, ordering: .relaxed)
      let hasPlayed = startTime != 0 && clinux_monotonic() &- startTime > 100_000_000
      failedStarts = hasPlayed ? 0 : failedStarts &+ 1
      if failedStarts > 5 {
        giveBack(device, error: code)
        return
      }
      _ = calsa_drop(device.pointee.handle)
      prepare(device)
    case .resume:
      let error = Int(calsa_resume(device.pointee.handle))
      if error == 0 - Int(EAGAIN) {
        sleep(until: clinux_monotonic() &+ 10_000_000)
      } else if error < 0 {
        // Many drivers cannot resume; beginning anew is what is left.
        prepare(device)
      }
    case .giveUp: giveBack(device, error: code)
    }
  }
}
