/// The first frame of an MPEG audio file, in which encoders write how many frames follow.
struct MPEGHeader {
  /// Whether it is a frame of MPEG audio, and not AAC, for example.
  let isFrame: Bool
  /// Whether it says how many frames follow (the headers Xing, Info and VBRI).
  let promisesFrames: Bool

  /// Where the first frame must begin, after a tag; `nil` if the file does not begin as MPEG audio does.
  static func start(_ head: HeaderBytes) -> Int? {
    if head.starts(with: "ID3") {
      guard head.bytes.count >= 10 else { return 10 }
      // Seven bits per byte; a footer is not counted.
      let footer = head.bytes[5] & 0x10 == 0 ? 0 : 10
      return 10 + footer + head.bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
    }
    return isFrame(head) ? 0 : nil
  }

  init(at start: Int, read: SoundHeader.Read) {
    // Some encoders fill up the tag with zeros that it does not count.
    let frame = HeaderBytes(Array(read(start, 4096).drop { $0 == 0 }.prefix(200)))
    isFrame = Self.isFrame(frame)
    guard isFrame, let version = frame.byte(1), let mode = frame.byte(3) else {
      promisesFrames = false
      return
    }
    let (isMPEG1, isMono) = (version & 0x18 == 0x18, mode & 0xc0 == 0xc0)
    let side = isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    let hasCount =
      ["Xing", "Info"].contains { frame.has($0, at: 4 + side) } && (frame.byte(4 + side + 7) ?? 0) & 1 != 0
    promisesFrames = hasCount || frame.has("VBRI", at: 36)
  }

  /// Whether a frame begins here: eleven ones, a version and a layer. AAC has no layer.
  private static func isFrame(_ bytes: HeaderBytes) -> Bool {
    guard bytes.byte(0) == 0xff, let second = bytes.byte(1) else { return false }
    return second & 0xe0 == 0xe0 && second & 0x18 != 0x08 && second & 0x06 != 0
  }
}
