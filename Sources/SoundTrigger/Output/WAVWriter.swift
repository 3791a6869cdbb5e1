import Glibc

/// Writes float32 frames into a WAV file. The same frames make the same bytes.
///
/// Its `fmt ` chunk has 18 bytes, as it must for all formats but PCM. libsndfile leaves out the last two, of which sox warns.
package final class WAVWriter {
  private static let headerSize = 58

  /// How many frames a file can hold: WAV counts its bytes in 32 bits, and the header takes some of them.
  package static func frameLimit(channels: Int) -> Int { (Int(UInt32.max) - headerSize) / (4 * channels) }

  package let channels: Int
  private let rate: Int
  /// `nil` once the file was closed.
  private var file: UnsafeMutablePointer<FILE>?
  private var frameCount = 0
  private let path: String

  /// Creates the file, or empties it (open, fdopen).
  ///
  /// If the file `isNew`, nothing may have its name, not even a link: in a folder that others may write in, it would lead elsewhere.
  package init(path: String, rate: Int, channels: Int = 2, isNew: Bool = false) throws(WAVError) {
    self.path = path
    self.rate = rate
    self.channels = channels
    let fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL | O_NOFOLLOW : O_TRUNC), 0o666)
    guard fd >= 0 else { throw problem }
    file = fdopen(fd, "w")
    if file == nil {
      let problem = problem
      Glibc.close(fd)
      throw problem
    }
    try write(header)
  }

  deinit {
    if let file { fclose(file) }
  }

  /// Completes the header and closes the file (fseek, fclose).
  func close() throws(WAVError) {
    guard let file else { return }
    if fseek(file, 0, SEEK_SET) != 0 { throw problem }
    try write(header)
    self.file = nil
    if fclose(file) != 0 { throw problem }
  }

  /// Appends interleaved frames (fwrite).
  func write(_ frames: UnsafePointer<Float>, count: Int) throws(WAVError) {
    frameCount += count
    if frameCount > Self.frameLimit(channels: channels) {
      throw WAVError(path: path, reason: "a WAV file holds at most 4 GiB; shorten the timeline")
    }
    if fwrite(frames, 4 * channels, count, file) != count { throw problem }
  }

  private func write(_ header: [UInt8]) throws(WAVError) {
    if fwrite(header, 1, header.count, file) != header.count { throw problem }
  }

  /// The chunks before the frames ("Multimedia Programming Interface and Data Specifications 1.0", Microsoft; 3 is IEEE float).
  private var header: [UInt8] {
    func number(_ value: Int, bytes: Int = 4) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let size = 4 * channels * frameCount
    let format =
      number(3, bytes: 2) + number(channels, bytes: 2) + number(rate) + number(4 * channels * rate)
      + number(4 * channels, bytes: 2) + number(32, bytes: 2) + number(0, bytes: 2)
    return Array("RIFF".utf8) + number(Self.headerSize - 8 + size)
      + Array("WAVEfmt ".utf8) + number(format.count) + format
      + Array("fact".utf8) + number(4) + number(frameCount) + Array("data".utf8) + number(size)
  }

  private var problem: WAVError { WAVError(path: path, reason: String(cString: strerror(errno))) }
}

/// Why a WAV file cannot be written.
package struct WAVError: Error, Equatable, CustomStringConvertible {
  package var path: String
  package var reason: String

  package var description: String { "cannot write \(path): \(reason)" }
}
