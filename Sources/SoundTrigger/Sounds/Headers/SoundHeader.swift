/// The length and the format that a sound file states. libsndfile corrects a false length without an error, and decodes beyond the end.
///
/// Pure: it reads through a closure. A file of an unknown format promises nothing.
struct SoundHeader {
  /// Returns at most `count` bytes from `offset`; fewer at the end of the file.
  typealias Read = (_ offset: Int, _ count: Int) -> [UInt8]

  /// How the file was cut off; `nil` if it was not, or if its header does not tell.
  private(set) var truncation: String?
  /// Whether the decoder's number of frames is the promise of the header. It may be an estimate, or corrected by what is there.
  private(set) var promisesFrames = false
  /// How many frames are whole, if they are stored in blocks of several; `nil` if each frame is stored alone, or if the decoder knows.
  private(set) var wholeFrames: Int?
  /// The format of a file that libsndfile cannot open, or `nil` if it is unknown.
  private(set) var foreignFormat: String?
  /// `size`: that of the file, in bytes.
  init(size: Int, read: Read) {
    let head = HeaderBytes(read(0, 64))
    foreignFormat = "damaged, or has an encoding that soundd does not know"
    if let layout = ChunkLayout(head) {
      note(ChunkedSound(layout, size: size, read: read), size: size)
    } else if head.starts(with: ".snd") || head.starts(with: "dns.") {
      note(ChunkedSound(au: head, size: size), size: size)
    } else if head.starts(with: "OggS") {
      truncation = OggPages(size: size, read: read).truncation
      foreignFormat = ForeignFormat.inOgg(head) ?? foreignFormat
    } else if head.starts(with: "fLaC") {
      promisesFrames = true
      if Self.flacHeaderEnd(read) > size { truncation = Self.cutInHeader }
    } else if let start = MPEGHeader.start(head) {
      let header = MPEGHeader(at: start, read: read)
      promisesFrames = header.promisesFrames
      if start >= size { truncation = Self.cutInHeader }
      foreignFormat = header.isFrame ? "cut off or damaged" : ForeignFormat.name(HeaderBytes(read(start, 64)))
    } else {
      foreignFormat = ForeignFormat.name(head)
    }
  }

  private mutating func note(_ sound: ChunkedSound, size: Int) {
    if let promised = sound.promisedBytes {
      if promised > size { truncation = Self.cut(promised: promised, unit: "bytes", found: size, "are there") }
    } else if sound.isIncomplete {
      truncation = Self.cutInHeader
    }
    wholeFrames = sound.wholeFrames
  }

  private static let cutInHeader = "it was cut off within its header"

  private static func cut(promised: Int, unit: String, found: Int, _ verb: String) -> String {
    "it was cut off: \(promised) \(unit) are promised by its header, and \(found) \(verb)"
  }

  /// How a file was cut off of which fewer frames can be decoded than its header promises.
  static func cut(promised: Int, decoded: Int) -> String {
    "it was cut off or is damaged: \(promised) frames are promised by its header, and \(decoded) can be decoded"
  }

  /// Where the metadata of a FLAC file end (RFC 9639, section 8).
  private static func flacHeaderEnd(_ read: Read) -> Int {
    var offset = 4
    while true {
      let block = HeaderBytes(read(offset, 4))
      guard let kind = block.byte(0), let length = block.number(1, 3, isLittle: false) else { return offset + 4 }
      offset += 4 + length
      if kind & 0x80 != 0 { return offset }
    }
  }
}

/// Bytes of a header. What is beyond their end is `nil`.
struct HeaderBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func byte(_ offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

  /// An unsigned number of at most 8 bytes, at most `Int.max`.
  func number(_ offset: Int, _ count: Int, isLittle: Bool) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    let digits = bytes[offset..<offset + count]
    let value = (isLittle ? Array(digits.reversed()) : Array(digits)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(clamping: value)
  }

  func has(_ text: String, at offset: Int) -> Bool {
    offset <= bytes.count && bytes[offset...].starts(with: text.utf8)
  }

  func starts(with text: String) -> Bool { has(text, at: 0) }
}
