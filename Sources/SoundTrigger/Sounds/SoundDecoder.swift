import CALSA
import Glibc

/// An open sound file, decoded as stereo from beginning to end (libsndfile).
struct SoundDecoder: ~Copyable {
  /// Frames per second.
  let rate: Int
  /// The length in frames that the header promises; 0 if that is not plausible for the size of the file.
  let promisedFrames: Int

  private let path: String
  private let limitSeconds: Int
  private let file: OpaquePointer
  private let channels: Int
  private let downmix: Downmix
  /// A block of all channels; `nil` for two channels, which are read straight into the target.
  private let block: UnsafeMutablePointer<Float>?
  /// Frames read so far.
  private var position = 0

  /// How many frames are decoded at once.
  static let blockFrames = 4096
  /// The largest sample that is accepted; full scale is 1. Larger ones are damage, and would drown all other sounds.
  private static let largestSample: Float = 16

  /// Opens a file. A sound of more than `limitSeconds` is refused: here, or when reading goes beyond the limit.
  init(path: String, limitSeconds: Int) throws(SoundError) {
    // Not with sf_open, because a FIFO must not block, and errno says more than libsndfile's error.
    let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard fd >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    var status = stat()
    guard fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(fd)
      throw .unreadable(path: path, reason: "it is not a regular file")
    }
    var info = SF_INFO()
    guard let file = sf_open_fd(fd, Int32(SFM_READ), &info, 1) else {
      throw .corrupt(path: path, reason: Self.reason(nil))
    }
    guard info.channels >= 1, info.samplerate >= 1 else {
      sf_close(file)
      throw .corrupt(path: path, reason: "it has no channels or no rate")
    }
    let promised = Self.isPlausible(info, bytes: Int(status.st_size)) ? Int(info.frames) : 0
    if promised > limitSeconds * Int(info.samplerate) {
      sf_close(file)
      throw .tooLong(path: path, limitSeconds: limitSeconds)
    }
    self.path = path
    self.limitSeconds = limitSeconds
    self.file = file
    rate = Int(info.samplerate)
    channels = Int(info.channels)
    promisedFrames = promised
    downmix = Downmix(channels: channels)
    block = channels == 2 ? nil : .allocate(capacity: Self.blockFrames * channels)
  }

  deinit {
    sf_close(file)
    block?.deallocate()
  }

  /// Decodes the next interleaved frames into memory for at most `frames`; returns their number, 0 at the end.
  mutating func read(into stereo: UnsafeMutablePointer<Float>, frames: Int) throws(SoundError) -> Int {
    let target = block ?? stereo
    let count = Int(sf_readf_float(file, target, sf_count_t(min(frames, Self.blockFrames))))
    if count <= 0 {
      if sf_error(file) != 0 { throw .corrupt(path: path, reason: Self.reason(file)) }
      if position == 0 { throw .corrupt(path: path, reason: "it holds no sound") }
      return 0
    }
    position += count
    if position > limitSeconds * rate { throw .tooLong(path: path, limitSeconds: limitSeconds) }
    try check(UnsafeBufferPointer(start: target, count: count * channels))
    if let block { downmix.write(block, frames: count, to: stereo) }
    return count
  }

  private func check(_ samples: UnsafeBufferPointer<Float>) throws(SoundError) {
    // Without an early exit the loop becomes vector code.
    var good = true
    for sample in samples { good = (abs(sample) <= Self.largestSample) && good }
    if good { return }
    for sample in samples where !(abs(sample) <= Self.largestSample) {
      throw .corrupt(path: path, reason: "it holds a sample of \(sample), where full scale is 1")
    }
  }

  /// Whether a file of that size can contain what its header promises, so that memory may be allocated for it.
  ///
  /// Uncompressed formats have a fixed size per frame. Others are believed down to an eighth of a byte per frame, which is 6
  /// kbit/s at 48 kHz. Silence may take less, which costs one copy.
  private static func isPlausible(_ info: SF_INFO, bytes: Int) -> Bool {
    let width =
      switch Int(info.format) & SF_FORMAT_SUBMASK {
      case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW: 8
      case SF_FORMAT_PCM_16: 16
      case SF_FORMAT_PCM_24: 24
      case SF_FORMAT_PCM_32, SF_FORMAT_FLOAT: 32
      case SF_FORMAT_DOUBLE: 64
      default: 0
      }
    // The width that FLAC states is that of the decoded samples.
    let isPacked = width == 0 || Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_FLAC
    return info.frames > 0 && Int(info.frames) <= bytes * 8 / (isPacked ? 1 : width * Int(info.channels))
  }

  private static func reason(_ file: OpaquePointer?) -> String {
    var text = String(cString: sf_strerror(file))
    while text.last == "." || text.last == "\n" { text.removeLast() }
    return text
  }
}

extension SoundDecoder {
  /// The file at a path in its present state (stat). It is here because this file imports both modules to which the compiler
  /// may attribute `struct stat`.
  static func file(at path: String) throws(SoundError) -> SoundFile {
    var status = stat()
    if stat(path, &status) != 0 { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
    let identity = SoundFile.Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
    return SoundFile(path: path, identity: identity)
  }
}
