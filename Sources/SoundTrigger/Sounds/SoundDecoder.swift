import CALSA
import Glibc

/// An open sound file, read as stereo from its beginning to its end (libsndfile).
struct SoundDecoder: ~Copyable {
  /// Frames per second.
  let rate: Int
  /// How many frames the header promises, if that can be true of a file of this size; else 0.
  let promisedFrames: Int

  private let path: String
  private let limitSeconds: Int
  private let file: OpaquePointer
  private let channels: Int
  private let downmix: Downmix
  /// A block of all channels; `nil`: two channels are read straight to where they go.
  private let block: UnsafeMutablePointer<Float>?
  /// Frames read so far.
  private var position = 0

  /// How many frames are read at once.
  static let blockFrames = 4096
  /// How far beyond full scale a sample may lie; what is further is damage, and would drown all that plays beside it.
  private static let largestSample: Float = 16

  /// Opens a file; a sound of more than `limitSeconds` is refused, here or when it turns out.
  init(path: String, limitSeconds: Int) throws(SoundError) {
    // Opened here rather than by sf_open: a FIFO must not block, and errno tells more than libsndfile does.
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

  /// Reads the next interleaved frames into memory for at most `frames`; returns how many there were, 0 at the end.
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
    // Without a way out of the loop it becomes vector code.
    var good = true
    for sample in samples { good = (abs(sample) <= Self.largestSample) && good }
    if good { return }
    for sample in samples where !(abs(sample) <= Self.largestSample) {
      throw .corrupt(path: path, reason: "it holds a sample of \(sample), where full scale is 1")
    }
  }

  /// Whether a file of that size can hold what its header promises, so that memory may be set aside for it.
  ///
  /// Uncompressed formats have a fixed size per frame. Others are believed down to an eighth of a byte per frame, which is 6
  /// kbit/s at 48 kHz: less is possible, of silence, and then costs no more than a copy.
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
    // FLAC says of its samples how wide they are when unpacked.
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
  /// What `SoundFile` is made of. Here because `struct stat` belongs to whichever module the compiler sees its header in
  /// first, and this file imports both.
  static func look(_ path: String) throws(SoundError) -> SoundFile {
    var status = stat()
    if stat(path, &status) != 0 { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
    let identity = SoundFile.Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
    return SoundFile(path: path, identity: identity)
  }
}
