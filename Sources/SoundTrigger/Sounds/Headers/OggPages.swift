/// The pages of an Ogg file (RFC 3533).
struct OggPages {
  /// See `SoundHeader`.
  let truncation: String?

  /// Walks from page to page, and stops at the first bytes that do not begin a page.
  init(size: Int, read: SoundHeader.Read) {
    let missing = "it was cut off: its last page is missing"
    var offset = 0
    var isLast = false
    while offset < size {
      let page = HeaderBytes(read(offset, 27 + 255))
      guard page.starts(with: "OggS") else {
        // Something else follows, such as a tag; or the first bytes of a page.
        let isBegun = "OggS".utf8.starts(with: page.bytes)
        truncation = isLast && !isBegun ? nil : missing
        return
      }
      guard let flags = page.byte(5), let segments = page.byte(26).map(Int.init), page.bytes.count >= 27 + segments
      else {
        truncation = missing
        return
      }
      offset += 27 + segments + page.bytes[27..<27 + segments].reduce(0) { $0 + Int($1) }
      isLast = flags & 4 != 0 && offset <= size
    }
    truncation = isLast ? nil : missing
  }
}
