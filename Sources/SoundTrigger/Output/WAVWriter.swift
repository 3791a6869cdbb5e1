import CALSA
import Glibc

/// Writes float32 frames into a WAV file through libsndfile. The same frames make the same bytes.
package final class WAVWriter {
  /// How many frames a file can hold: WAV counts its bytes in 32 bits, and the header takes some of them.
  package static func frameLimit(channels: Int) -> Int { (Int(UInt32.max) - 1024) / (4 * channels) }

  package let channels: Int
  /// `nil` once the file was closed.
  private var file: OpaquePointer?
  private var frameCount = 0
  private let path: String

  /// Creates the file, or empties it (open, sf_open_fd).
  ///
  /// If the file `isNew`, nothing may have its name, not even a link: in a folder that others may write in, it would lead elsewhere.
  package init(path: String, rate: Int, channels: Int = 2, isNew: Bool = false) throws(WAVError) {
    self.path = path
    self.channels = channels
    var info = SF_INFO()
    info.samplerate = Int32(clamping: rate)
    info.channels = Int32(clamping: channels)
    info.format = Int32(SF_FORMAT_WAVEX | SF_FORMAT_FLOAT)
    let fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL | O_NOFOLLOW : O_TRUNC), 0o666)
    guard fd >= 0 else { throw WAVError(path: path, reason: String(cString: strerror(errno))) }
    guard let file = sf_open_fd(fd, Int32(SFM_WRITE), &info, 1) else {
      Glibc.close(fd)
      throw WAVError(path: path, reason: String(cString: sf_strerror(nil)))
    }
    // libsndfile stamps its PEAK chunk with the time of day.
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, 0)
    self.file = file
  }

  deinit {
    if let file { sf_close(file) }
  }

  /// Completes the header and closes the file (sf_close).
  func close() throws(WAVError) {
    guard let file else { return }
    self.file = nil
    let error = sf_close(file)
    if error != 0 { throw WAVError(path: path, reason: String(cString: sf_error_number(error))) }
  }

  /// Appends interleaved frames (sf_writef_float).
  func write(_ frames: UnsafePointer<Float>, count: Int) throws(WAVError) {
    frameCount += count
    if frameCount > Self.frameLimit(channels: channels) {
      throw WAVError(path: path, reason: "a WAV file holds at most 4 GiB; shorten the timeline")
    }
    let written = sf_writef_float(file, frames, sf_count_t(count))
    guard written == count else { throw WAVError(path: path, reason: String(cString: sf_strerror(file))) }
  }
}

/// Why a WAV file cannot be written.
package struct WAVError: Error, Equatable, CustomStringConvertible {
  package var path: String
  package var reason: String

  package var description: String { "cannot write \(path): \(reason)" }
}
