import CALSA
import CLinux
import Glibc

/// Whether a device plays, and does not only open: plays silence on it and watches its position.
///
/// A sound server that hangs may take a connection, a format and frames, and play nothing.
struct DeviceTrial {
  /// How long the position may take to move.
  private static let patience: Int64 = 500_000_000
  private static let pause: Int64 = 2_000_000

  private let pcm: calsa_pcm
  private let stream: StreamFormat
  private let timekeeper: clinux_timekeeper

  /// A trial of a device that is prepared and was not written to.
  init(_ pcm: calsa_pcm, _ stream: StreamFormat, _ timekeeper: clinux_timekeeper) {
    self.pcm = pcm
    self.stream = stream
    self.timekeeper = timekeeper
  }

  /// Blocks until the position has moved. The device is prepared then. Throws if it does not move in time, or fails.
  func run(_ device: String) throws(OutputError) {
    let error = play()
    _ = calsa_drop(pcm)
    let prepared = Int(calsa_prepare(pcm))
    let code = Int32(truncatingIfNeeded: error < 0 ? error : prepared)
    if code >= 0 { return }
    throw OutputError(
      operation: "trial", device: device, code: code,
      reason: code == -EIO ? "it opens and stands still" : "it opens and fails: \(String(cString: strerror(-code)))")
  }

  /// Returns 0 or a negative errno.
  private func play() -> Int {
    let end = clinux_now(timekeeper) + Self.patience
    let written = fill()
    if written < 0 { return written }
    let error = Int(calsa_start(pcm))
    if error < 0 { return error }
    let start = clinux_now(timekeeper)
    while true {
      let now = clinux_now(timekeeper)
      var at: Int64 = 0
      let room = Int(calsa_avail(pcm, now, &at))
      if room > stream.bufferFrames - written { return 0 }
      if room < 0, !Self.isBusy(room) {
        // It may have played all of it since the last look. If there was no time for that, it stopped for another reason.
        let length = Int64(written) * 1_000_000_000 / Int64(stream.rate)
        return room == -Int(EPIPE) && now - start >= length ? 0 : room
      }
      if now >= end { return -Int(EIO) }
      _ = clinux_sleep(timekeeper, now + Self.pause, -1)
    }
  }

  /// Fills the device with silence; returns how many frames it took, or a negative errno.
  private func fill() -> Int {
    if stream.isMapped {
      var start: UnsafeMutableRawPointer?
      var offset: UInt = 0
      var length = UInt(stream.bufferFrames)
      let error = Int(calsa_mmap_begin(pcm, &start, &offset, &length))
      guard error >= 0, let start else { return min(error, -Int(EIO)) }
      start.initializeMemory(as: UInt8.self, repeating: 0, count: Int(length) * stream.frameBytes())
      return Int(calsa_mmap_commit(pcm, offset, length))
    }
    let silence = [UInt8](repeating: 0, count: stream.ringBytes())
    return silence.withUnsafeBytes { bytes in
      bytes.baseAddress.map { Int(calsa_writei(pcm, $0, UInt(stream.bufferFrames))) } ?? 0
    }
  }

  private static func isBusy(_ code: Int) -> Bool { [-Int(EAGAIN), -Int(EINTR), -Int(EBUSY)].contains(code) }
}
