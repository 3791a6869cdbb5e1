/// How a container stores its chunks.
struct ChunkLayout {
  /// Where the first chunk begins.
  let start: Int
  let isLittle: Bool
  /// How many bytes the name and the size of a chunk have.
  let nameLength: Int, sizeLength: Int
  /// Whether the size of a chunk counts its name and its size.
  let countsHeader: Bool
  /// Chunks begin at multiples of it.
  let alignment: Int
  /// The beginning of the name of the chunk with the sound.
  let data: [String]
  /// The size of the whole file by its header; `nil` if it has none or does not know it.
  let fileSize: Int?

  /// `nil` if the file does not consist of chunks.
  init?(_ head: HeaderBytes) {
    let isBig = ["RIFX", "FORM", "caff"].contains(where: head.starts)
    isLittle = !isBig
    if ["RIFF", "RIFX", "RF64"].contains(where: head.starts), head.has("WAVE", at: 8) || head.bytes.count < 12 {
      (start, nameLength, sizeLength, countsHeader, alignment, data) = (12, 4, 4, false, 2, ["data"])
      fileSize = head.number(4, 4, isLittle: !isBig).flatMap { Self.isKnown($0) ? $0 + 8 : nil }
    } else if head.starts(with: "FORM"),
      ["AIFF", "AIFC", "8SVX", "16SV"].contains(where: { head.has($0, at: 8) })
        || head.bytes.count < 12
    {
      (start, nameLength, sizeLength, countsHeader, alignment, data) = (12, 4, 4, false, 2, ["SSND", "BODY"])
      fileSize = head.number(4, 4, isLittle: false).flatMap { Self.isKnown($0) ? $0 + 8 : nil }
    } else if head.starts(with: "riff") {
      // Sony Wave64: the names are GUIDs, which begin with the names of WAV.
      (start, nameLength, sizeLength, countsHeader, alignment, data) = (40, 16, 8, true, 8, ["data"])
      fileSize = head.number(16, 8, isLittle: true)
    } else if head.starts(with: "caff") {
      (start, nameLength, sizeLength, countsHeader, alignment, data) = (8, 4, 8, false, 1, ["data"])
      fileSize = nil
    } else {
      return nil
    }
  }

  /// Whether a size of 32 bits is one. A program that writes into a pipe cannot know it, and promises nothing or the most.
  static func isKnown(_ size: Int) -> Bool { 0..<0x7fff_0000 ~= size && size != 0 }
}

/// The length of a sound by the chunks of its file.
struct ChunkedSound {
  /// How large the file would be at least; `nil` if it does not know.
  private(set) var promisedBytes: Int?
  /// Whether the file ends before its sound begins, and promises no size.
  private(set) var isIncomplete = false
  /// See `SoundHeader`.
  private(set) var wholeFrames: Int?

  /// So many chunks may come before the sound.
  private static let mostChunks = 1000

  init(_ layout: ChunkLayout, size: Int, read: SoundHeader.Read) {
    var offset = layout.start
    var (format, compression) = (HeaderBytes([]), HeaderBytes([]))
    var longSize: Int?, fact: Int?
    for _ in 0..<Self.mostChunks {
      let headerLength = layout.nameLength + layout.sizeLength
      let header = HeaderBytes(read(offset, headerLength))
      guard var length = header.number(layout.nameLength, layout.sizeLength, isLittle: layout.isLittle) else {
        // Without a chunk of sound.
        promisedBytes = layout.fileSize
        isIncomplete = true
        return
      }
      if layout.countsHeader { length = max(0, length - headerLength) }
      let body = offset + headerLength
      if layout.data.contains(where: header.starts) {
        // RF64 has the size in the chunk ds64.
        if length == 0xffff_ffff, let longSize { length = longSize }
        let isKnown = layout.sizeLength == 4 && longSize == nil ? ChunkLayout.isKnown(length) : length < 1 << 40
        let end = isKnown ? body + length : size
        promisedBytes = isKnown ? end : nil
        let packing =
          BlockPacking(wave: format, isLittle: layout.isLittle) ?? BlockPacking(aifc: compression)
        // In AIFF two numbers come before the sound.
        let start = header.starts(with: "SSND") ? body + 8 : body
        wholeFrames = packing?.frames(in: max(0, min(end, size) - start), fact: fact)
        return
      }
      if header.starts(with: "fmt ") { format = HeaderBytes(read(body, min(length, 40))) }
      if header.starts(with: "COMM") { compression = HeaderBytes(read(body, min(length, 40))) }
      if header.starts(with: "fact") { fact = HeaderBytes(read(body, 4)).number(0, 4, isLittle: layout.isLittle) }
      if header.starts(with: "ds64") { longSize = HeaderBytes(read(body, 16)).number(8, 8, isLittle: true) }
      if length >= 1 << 40 { return }
      offset = (body + length + layout.alignment - 1) / layout.alignment * layout.alignment
    }
  }

  /// The header of an AU file has one place for each number.
  init(au head: HeaderBytes, size: Int) {
    let isLittle = head.starts(with: "dns.")
    guard let start = head.number(4, 4, isLittle: isLittle), let length = head.number(8, 4, isLittle: isLittle),
      let encoding = head.number(12, 4, isLittle: isLittle), head.bytes.count >= 24
    else {
      isIncomplete = true
      return
    }
    let isKnown = ChunkLayout.isKnown(length)
    promisedBytes = isKnown ? start + length : start > size ? start : nil
    let end = isKnown ? min(start + length, size) : size
    wholeFrames = BlockPacking(au: encoding)?.frames(in: max(0, end - start), fact: nil)
  }
}

/// How many frames a block of a packed sound has. Of a block that is not whole a decoder makes noise.
struct BlockPacking {
  let bytes: Int
  let frames: Int
  /// The bytes at the beginning of a block and the frames in them, and then the bytes of each further group of frames; `nil` if
  /// nothing of a block that is not whole can be decoded.
  private var parts: (head: Int, headFrames: Int, group: Int, groupFrames: Int)?

  private init?(bytes: Int, frames: Int) {
    if bytes < 1 || frames < 1 { return nil }
    (self.bytes, self.frames) = (bytes, frames)
  }

  /// By the chunk `fmt ` of a WAV file.
  init?(wave format: HeaderBytes, isLittle: Bool) {
    func number(_ offset: Int) -> Int? { format.number(offset, 2, isLittle: isLittle) }
    guard let tag = number(0), let channels = number(2), let align = number(12), let bits = number(14), channels > 0
    else { return nil }
    switch tag {
    case 0x02:  // Microsoft ADPCM
      self.init(bytes: align, frames: 2 + max(-1, align - 7 * channels) * 2 / channels)
      parts = (7 * channels, 2, channels, 2)
    case 0x11:  // IMA ADPCM
      self.init(bytes: align, frames: 1 + max(-1, align - 4 * channels) * 2 / channels)
      parts = (4 * channels, 1, 4 * channels, 8)
    case 0x31:  // GSM 6.10
      self.init(bytes: align, frames: number(18) ?? 320)
    case 0x14, 0x40:  // G.723, G.721
      self.init(bytes: bits, frames: 8)
    case 0x38:  // NMS ADPCM
      self.init(bytes: 20 * bits + 2, frames: 160)
    default: return nil
    }
  }

  /// By the chunk `COMM` of an AIFF-C file.
  init?(aifc common: HeaderBytes) {
    guard let channels = common.number(0, 2, isLittle: false) else { return nil }
    if common.has("ima4", at: 18) {
      self.init(bytes: 34 * channels, frames: 64)
    } else if common.has("GSM ", at: 18) || common.has("agsm", at: 18) {
      self.init(bytes: 33, frames: 160)
    } else {
      return nil
    }
  }

  /// By the number of the encoding of an AU file: G.721, and G.723 of 3 and of 5 bits.
  init?(au encoding: Int) {
    guard let bits = [23: 4, 25: 3, 26: 5][encoding] else { return nil }
    self.init(bytes: bits, frames: 8)
  }

  /// How many frames so many bytes hold. `fact`: how many there are by the header, which counts if the last block has that many.
  func frames(in count: Int, fact: Int?) -> Int {
    let whole = count / bytes * frames
    let rest = count % bytes
    var most = whole
    if let parts, rest >= parts.head {
      most += min(frames, parts.headFrames + (rest - parts.head) / parts.group * parts.groupFrames)
    }
    // Some encoders write something else into it.
    guard let fact, fact > whole - frames, fact <= most else { return whole }
    return fact
  }
}
