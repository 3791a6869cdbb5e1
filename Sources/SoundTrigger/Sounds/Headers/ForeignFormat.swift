/// Formats that soundd cannot decode, by their first bytes.
enum ForeignFormat {
  /// The endings of their files, without a dot.
  static let extensions = [
    "m4a", "mp4", "m4b", "aac", "wma", "wv", "webm", "weba", "mka", "ape", "mpc", "tta", "amr", "ac3", "spx", "3gp",
    "dsf",
  ]

  private static let magics: [(offset: Int, bytes: [UInt8], name: String)] = [
    (4, Array("ftyp".utf8), "MP4 (AAC or ALAC)"),
    (0, [0x30, 0x26, 0xb2, 0x75], "WMA"),
    (0, [0x1a, 0x45, 0xdf, 0xa3], "WebM or Matroska"),
    (0, Array("wvpk".utf8), "WavPack"),
    (0, Array("ADIF".utf8), "AAC"),
    (0, Array("MAC ".utf8), "Monkey's Audio"),
    (0, Array("MPCK".utf8), "Musepack"), (0, Array("MP+".utf8), "Musepack"),
    (0, Array("TTA1".utf8), "True Audio"),
    (0, Array("#!AMR".utf8), "AMR"),
    (0, [0x0b, 0x77], "AC-3"),
    (0, Array("DSD ".utf8), "DSD"),
    (0, Array(".RMF".utf8), "RealAudio"),
    (8, Array("AVI ".utf8), "AVI"),
    (0, Array("FLV".utf8), "Flash Video"),
    (0, [0x00, 0x00, 0x01, 0xba], "MPEG video"),
  ]

  /// The name of the format, or `nil` if it is unknown.
  static func name(_ head: HeaderBytes) -> String? {
    // AAC as a stream: twelve ones, and no layer.
    if head.byte(0) == 0xff, let second = head.byte(1), second & 0xf6 == 0xf0 { return "AAC" }
    return magics.first { $0.offset <= head.bytes.count && head.bytes[$0.offset...].starts(with: $0.bytes) }?.name
  }

  /// The same of the first page of an Ogg file.
  static func inOgg(_ head: HeaderBytes) -> String? {
    if head.has("Speex", at: 28) { return "Speex" }
    return head.has("theora", at: 29) || head.has("fishead", at: 28) ? "Ogg with a video" : nil
  }
}
