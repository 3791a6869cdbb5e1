import CALSA
import Glibc

/// An open sound file, decoded as mono or stereo from beginning to end (libsndfile).
struct SoundDecoder: ~Copyable {
  /// Frames per second.
  let rate: Int
  /// What `read` appends: one channel or two.
  var channels: Int { min(2, downmix.channels) }
  /// How many frames the header promises; `nil` if it does not know, or if the file is too small for them.
  let frames: Int?
  /// How the file was cut off, if it was. What is left of it is decoded.
  let truncation: String?

  let path: String
  private let limitSeconds: Int
  private let file: OpaquePointer
  private let downmix: Downmix
  /// A block of all channels.
  private var block: [Float]
  /// Frames read so far.
  private var position = 0

  /// How many frames are decoded at once.
  static let blockFrames = 4096
  /// The largest sample that is accepted; full scale is 1. Larger ones are damage, and would drown all other sounds.
  static let largestSample: Float = 16

  /// Opens a file. If the sound is longer than `limitSeconds`, this fails, or reading beyond the limit does.
  init(path: String, limitSeconds: Int) throws(SoundError) {
    try self.init(Self.open(path), path: path, limitSeconds: limitSeconds)
  }

  /// Opens a regular file. Not with sf_open, because a FIFO must not block, and errno says more than libsndfile's error.
  static func open(_ path: String) throws(SoundError) -> Int32 {
    let fd =
      BuiltInSounds.index(of: path).map { shipped_open($0) } ?? Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard fd >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    var status = stat()
    if fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return fd }
    close(fd)
    throw .unreadable(path: path, reason: "it is not a regular file")
  }

  /// Decodes an opened file, and closes it.
  init(_ fd: Int32, path: String, limitSeconds: Int) throws(SoundError) {
    var status = stat()
    fstat(fd, &status)
    var info = SF_INFO()
    guard let file = sf_open_fd(fd, Int32(SFM_READ), &info, 1) else {
      throw .corrupt(path: path, reason: Self.reason(nil))
    }
    guard info.channels >= 1, info.samplerate >= 1 else {
      sf_close(file)
      throw .corrupt(path: path, reason: "it has no channels or no rate")
    }
    // A header is believed if the file has an eighth of a byte for each frame: 6 kbit/s at 48 kHz.
    if Int(info.frames) > limitSeconds * Int(info.samplerate), Int(info.frames) / 8 <= Int(status.st_size) {
      sf_close(file)
      throw .tooLong(path: path, limitSeconds: limitSeconds)
    }
    truncation = Self.truncation(fd, size: Int(status.st_size))
    self.path = path
    self.limitSeconds = limitSeconds
    self.file = file
    rate = Int(info.samplerate)
    frames = info.frames > 0 && Int(info.frames) / 8 <= Int(status.st_size) ? Int(info.frames) : nil
    downmix = Downmix(channels: Int(info.channels))
    block = [Float](repeating: 0, count: Self.blockFrames * Int(info.channels))
  }

  deinit { sf_close(file) }

  /// Decodes the next frames and appends them, interleaved. Returns false at the end.
  mutating func read(appendingTo output: inout [Float]) throws(SoundError) -> Bool {
    let count = Int(sf_readf_float(file, &block, sf_count_t(Self.blockFrames)))
    if count <= 0 {
      if sf_error(file) != 0 { throw .corrupt(path: path, reason: Self.reason(file)) }
      if position == 0 { throw .corrupt(path: path, reason: "it holds no sound") }
      return false
    }
    position += count
    if position > limitSeconds * rate { throw .tooLong(path: path, limitSeconds: limitSeconds) }
    let samples = block[..<(count * downmix.channels)]
    if let sample = samples.first(where: { !(abs($0) <= Self.largestSample) }) {
      throw .corrupt(path: path, reason: "it holds a sample of \(sample), where full scale is 1")
    }
    downmix.mix(samples, appendingTo: &output)
    return true
  }

  /// Compares the size of a WAV file with the one that its header promises (pread), because libsndfile corrects that silently.
  private static func truncation(_ fd: Int32, size: Int) -> String? {
    var header = [UInt8](repeating: 0, count: 8)
    guard pread(fd, &header, 8, 0) == 8, header.starts(with: "RIFF".utf8) else { return nil }
    let promised = header[4...].reversed().reduce(0) { $0 << 8 | Int($1) } + 8
    // Whoever writes into a pipe cannot know the size, and promises the most. The last byte may be mere padding.
    if promised <= size + 1 || promised > 0x7fff_0000 { return nil }
    return "it was cut off: \(promised) bytes are promised by its header, and \(size) are there"
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
    let made: (inode: UInt64, changed: Int64)? =
      if let index = BuiltInSounds.index(of: path) {
        (UInt64(index), 0)
      } else if let tone = Tone(path) {
        (tone.frequency.bitPattern, Int64(bitPattern: tone.length.bitPattern))
      } else {
        // All of it is the same silence.
        path.hasPrefix(Speech.prefix) ? (0, 1) : nil
      }
    if let made {
      // No file has a device of this number.
      let identity = SoundFile.Identity(device: 0, inode: made.inode, size: 0, modified: 0, changed: made.changed)
      return SoundFile(path: path, identity: identity, isTrusted: true)
    }
    var status = stat()
    if stat(path, &status) != 0 { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
    let identity = SoundFile.Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
    return SoundFile(path: path, identity: identity, isTrusted: status.st_uid == 0)
  }
}
