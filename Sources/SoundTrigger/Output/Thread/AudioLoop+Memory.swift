import CALSA
import CLinux
import CMixer
import Glibc

/// Reads the device's position, writes frames, and silences played frames.
extension AudioLoop {
  /// Asks the device for its position; returns 0 or a negative errno.
  @_noLocks mutating func locate(_ device: UnsafeMutablePointer<PCMPlayback>, _ now: Int64) -> Int {
    let stream = device.pointee.stream
    var at: Int64 = 0
    let available = Int(calsa_avail(device.pointee.pcm, now, &at))
    if available < 0 { return available }
    var played = run.written &- stream.bufferFrames &+ available
    // Only a card plays on after the last frame written. Other devices report such a position wrongly.
    if !stream.runsOn { played = min(played, run.written) }
    // If the position goes back, the device reported the previous one too early.
    if played > run.played {
      run.played = played
      if !run.freeRunning { clock.saw(frame: played, at: at) }
    }
    if run.freeRunning && clock.frame(at: now) &- run.written > rate / 5 {
      // The process was stopped, for example. The thread skips what it missed instead of catching up.
      clock.start(frame: run.written, at: now)
    }
    clearPlayed(device)
    return 0
  }

  /// How many written frames have not been heard yet.
  @_noLocks func delay(_ device: UnsafeMutablePointer<PCMPlayback>) -> Int {
    var frames = 0
    return calsa_delay(device.pointee.pcm, &frames) == 0 ? max(0, frames) : max(0, run.written &- run.played)
  }

  /// Writes until `goal` frames are written, the device is full or a command comes. Returns 0 or a negative errno.
  @_noLocks mutating func write(_ device: UnsafeMutablePointer<PCMPlayback>, upTo goal: Int) -> Int {
    let stream = device.pointee.stream
    let last = run.freeRunning ? goal : min(goal, run.played &+ stream.bufferFrames)
    while run.written < last {
      let wasSilent = run.rendersAhead() ? mixer.isSilent() : mixer.isIdle()
      let length = min(last &- run.written, 256)
      let written = stream.isMapped ? writeMapped(device, length) : writeCopied(device, length)
      if written <= 0 { return written }
      if !mixer.isSilent() {
        run.silentFrom = Int.max
      } else if !wasSilent {
        run.silentFrom = run.written &+ written &+ run.staged
      } else if run.silentFrom == Int.max {
        run.silentFrom = run.written
      }
      run.written = run.written &+ written
      // Frames far ahead can wait, because the commands may change them.
      if run.canRewind && mixer.hasCommands() && run.written &- run.played > 2 &* margin.frames { return 0 }
    }
    return 0
  }

  @_noLocks private mutating func writeMapped(_ device: UnsafeMutablePointer<PCMPlayback>, _ frames: Int) -> Int {
    let stream = device.pointee.stream
    var address: UnsafeMutableRawPointer?
    var offset: UInt = 0
    var length = UInt(truncatingIfNeeded: frames)
    let error = calsa_mmap_begin(device.pointee.pcm, &address, &offset, &length)
    if error < 0 { return Int(error) }
    guard let address, length > 0 else { return 0 }
    // The frames that the device did not take the last time are already in this memory.
    if run.staged == 0 {
      run.staged = min(frames, Int(truncatingIfNeeded: length))
      render(into: address, frames: run.staged, stream)
    }
    let count = min(run.staged, Int(truncatingIfNeeded: length))
    let taken = Int(calsa_mmap_commit(device.pointee.pcm, offset, UInt(truncatingIfNeeded: count)))
    if taken > 0 { run.staged = run.staged &- taken }
    return taken
  }

  @_noLocks private mutating func writeCopied(_ device: UnsafeMutablePointer<PCMPlayback>, _ frames: Int) -> Int {
    let stream = device.pointee.stream
    if run.staged == 0 {
      render(into: staging, frames: frames, stream)
      run.staged = frames
      run.stagedFrom = 0
    }
    // The device may take only some of the frames. The next call offers the rest again.
    let written = Int(
      calsa_writei(
        device.pointee.pcm, staging + run.stagedFrom &* stream.frameBytes(), UInt(truncatingIfNeeded: run.staged)))
    if written > 0 {
      run.staged = run.staged &- written
      run.stagedFrom = run.stagedFrom &+ written
    }
    return written
  }

  @inline(__always) @_noLocks private mutating func render(
    into out: UnsafeMutableRawPointer, frames: Int, _ stream: StreamFormat
  ) {
    if run.rendersAhead() {
      mixer.renderAhead(into: out, frames: frames, format: stream.format, channels: stream.channels)
    } else {
      mixer.render(into: out, frames: frames, format: stream.format, channels: stream.channels)
    }
  }

  // MARK: Silence

  /// Silences the whole ring. Call it only if all its frames have been heard.
  ///
  /// If the thread writes too late, a card plays the ring again and would repeat old frames.
  @_noLocks func silenceRing(_ device: UnsafeMutablePointer<PCMPlayback>) {
    if let ring = device.pointee.ring { cmixer_zero(ring, device.pointee.stream.ringBytes()) }
  }

  /// Silences the frames that were played since the last call.
  @_noLocks private mutating func clearPlayed(_ device: UnsafeMutablePointer<PCMPlayback>) {
    guard let ring = device.pointee.ring else { return }
    let stream = device.pointee.stream
    let last = min(run.played, run.written)
    while run.cleared < last {
      let offset = run.cleared % stream.bufferFrames
      let count = min(last &- run.cleared, stream.bufferFrames &- offset)
      cmixer_zero(ring + offset &* stream.frameBytes(), count &* stream.frameBytes())
      run.cleared = run.cleared &+ count
    }
  }
}
