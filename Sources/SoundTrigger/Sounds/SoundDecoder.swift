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
  /// The same, whatever the size of the file is.
  let promisedFrames: Int?
  /// How the file was cut off, if it was. What is left of it is decoded. By the number of frames it is known at the end.
  private(set) var truncation: String?

  let path: String
  private let limitSeconds: Int
  private let file: OpaquePointer
  private let header: SoundHeader
  /// The opened file, which belongs to libsndfile, and its size.
  private let descriptor: Int32, size: Int
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
    guard fd >= 0 else { throw .opening(path, code: errno) }
    var status = stat()
    if fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return fd }
    close(fd)
    throw .unreadable(path: path, reason: "it is not a regular file")
  }

  /// Decodes an opened file, and closes it.
  init(_ fd: Int32, path: String, limitSeconds: Int) throws(SoundError) {
    var status = stat()
    fstat(fd, &status)
    let size = Int(status.st_size)
    let header = SoundHeader(size: size) { offset, count in Self.bytes(of: fd, offset, count) }
    var info = SF_INFO()
    guard let file = sf_open_fd(fd, Int32(SFM_READ), &info, 1) else {
      throw Self.failure(path, header, size: size)
    }
    guard info.channels >= 1, info.samplerate >= 1 else {
      sf_close(file)
      throw .corrupt(path: path, reason: "it has no channels or no rate")
    }
    // A header is believed if the file has an eighth of a byte for each frame: 6 kbit/s at 48 kHz.
    let promised = min(Int(info.frames), header.wholeFrames ?? .max)
    let isBelieved = promised > 0 && promised / 8 <= size
    if isBelieved, promised > limitSeconds * Int(info.samplerate) {
      sf_close(file)
      throw .tooLong(path: path, limitSeconds: limitSeconds)
    }
    truncation = header.truncation
    self.path = path
    self.limitSeconds = limitSeconds
    self.file = file
    self.header = header
    (descriptor, self.size) = (fd, size)
    rate = Int(info.samplerate)
    promisedFrames = promised > 0 && promised < Int.max ? promised : nil
    frames = isBelieved ? promised : nil
    downmix = Downmix(channels: Int(info.channels))
    block = [Float](repeating: 0, count: Self.blockFrames * Int(info.channels))
  }

  deinit { sf_close(file) }

  /// Decodes the next frames and appends them, interleaved. Returns false at the end.
  mutating func read(appendingTo output: inout [Float]) throws(SoundError) -> Bool {
    let wanted = min(Self.blockFrames, (header.wholeFrames ?? .max) - position)
    let count = wanted > 0 ? Int(sf_readf_float(file, &block, sf_count_t(wanted))) : 0
    if count <= 0 {
      try end(isDamaged: wanted > 0 && sf_error(file) != 0)
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

  /// Finds out at the end whether it is the one that the header promises.
  private mutating func end(isDamaged: Bool) throws(SoundError) {
    if truncation == nil, header.promisesFrames, let promisedFrames, position < promisedFrames {
      truncation = SoundHeader.cut(promised: promisedFrames, decoded: position)
    }
    // Damage at the very end probably means that the file was cut off.
    let isAtEnd = lseek(descriptor, 0, SEEK_CUR) >= size
    if isDamaged, !isAtEnd {
      let place = position == 0 ? "" : " after \(DecimalText.text(position * 10 / rate, fractionDigits: 1)) s"
      throw .corrupt(path: path, reason: "it is damaged\(place)")
    }
    if isDamaged, truncation == nil { truncation = "it was cut off or is damaged at its end" }
    if position == 0 { throw .corrupt(path: path, reason: truncation ?? "it holds no sound") }
  }

  /// Why libsndfile cannot open a file. Its own sentences say little, and some are wrong.
  private static func failure(_ path: String, _ header: SoundHeader, size: Int) -> SoundError {
    if let problem = sf_library_problem() { return .corrupt(path: path, reason: String(cString: problem)) }
    if size == 0 { return .corrupt(path: path, reason: "it is empty") }
    if let truncation = header.truncation { return .corrupt(path: path, reason: truncation) }
    return .foreign(path: path, format: header.foreignFormat)
  }

  /// At most `count` bytes of a file (pread).
  private static func bytes(of fd: Int32, _ offset: Int, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(fd, buffer.baseAddress, count, off_t(offset)))
    }
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
    if stat(path, &status) != 0 { throw .opening(path, code: errno) }
    func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
    let identity = SoundFile.Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
    return SoundFile(path: path, identity: identity, isTrusted: status.st_uid == 0)
  }
}
