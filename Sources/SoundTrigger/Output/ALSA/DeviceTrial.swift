import CALSA
import CLinux
import Glibc

/// Whether a device plays, and does not only open: plays silence on it and watches its position.
///
/// A sound server that hangs may take a connection, a format and frames, and play nothing.
struct DeviceTrial {
  /// How long the position may take to move. A sink that has slept may need more than two seconds.
  static let patience = Duration.seconds(3)
  private static let pause: Int64 = 2_000_000

  private let pcm: calsa_pcm
  private let stream: StreamFormat
  private let timekeeper: clinux_timekeeper

  /// A trial of a device that rests and was not written to.
  init(_ pcm: calsa_pcm, _ stream: StreamFormat, _ timekeeper: clinux_timekeeper) {
    self.pcm = pcm
    self.stream = stream
    self.timekeeper = timekeeper
  }

  /// Blocks until the position has moved. The device rests then. Throws if it does not move in time, or fails.
  func run(_ device: String) throws(OutputError) {
    let restsPrepared = stream.kind.restsPrepared()
    var error = restsPrepared ? 0 : Int(calsa_prepare(pcm))
    if error >= 0 { error = play() }
    _ = calsa_drop(pcm)
    let prepared = restsPrepared ? Int(calsa_prepare(pcm)) : 0
    let code = Int32(truncatingIfNeeded: error < 0 ? error : prepared)
    if code >= 0 { return }
    throw OutputError(
      operation: "trial", device: device, code: code,
      reason: code == -EIO ? "it opens and stands still" : "it opens and fails: \(String(cString: strerror(-code)))")
  }

  /// Returns 0 or a negative errno.
  private func play() -> Int {
    let end = clinux_now(timekeeper) + Self.patience.nanoseconds
    let written = fill(stream.bufferFrames)
    if written < 0 { return written }
    let error = Int(calsa_start(pcm))
    if error < 0 { return error }
    let start = clinux_now(timekeeper)
    var least: Int?
    while true {
      let now = clinux_now(timekeeper)
      var at: Int64 = 0
      let room = Int(calsa_avail(pcm, now, &at))
      if room >= 0 {
        guard let before = least else {
          // PulseAudio's plugin takes more than a buffer before anything is played. Only room that appears later counts.
          let more = room > 0 ? fill(min(room, stream.bufferFrames)) : 0
          if more < 0, !Self.isBusy(more) { return more }
          least = room - max(0, more)
          continue
        }
        if room > before { return 0 }
      } else if !Self.isBusy(room) {
        // It may have played all of it since the last look. If there was no time for that, it stopped for another reason.
        let length = Int64(written) * 1_000_000_000 / Int64(stream.rate)
        return room == -Int(EPIPE) && now - start >= length ? 0 : room
      }
      if now >= end { return -Int(EIO) }
      _ = clinux_sleep(timekeeper, now + Self.pause, -1)
    }
  }

  /// Writes so many frames of silence at most; returns how many the device took, or a negative errno.
  private func fill(_ frames: Int) -> Int {
    if stream.isMapped {
      var start: UnsafeMutableRawPointer?
      var offset: UInt = 0
      var length = UInt(frames)
      let error = Int(calsa_mmap_begin(pcm, &start, &offset, &length))
      guard error >= 0, let start else { return min(error, -Int(EIO)) }
      start.initializeMemory(as: UInt8.self, repeating: 0, count: Int(length) * stream.frameBytes())
      return Int(calsa_mmap_commit(pcm, offset, length))
    }
    let silence = [UInt8](repeating: 0, count: frames * stream.frameBytes())
    return silence.withUnsafeBytes { bytes in
      bytes.baseAddress.map { Int(calsa_writei(pcm, $0, UInt(frames))) } ?? 0
    }
  }

  private static func isBusy(_ code: Int) -> Bool { [-Int(EAGAIN), -Int(EINTR), -Int(EBUSY)].contains(code) }
}
