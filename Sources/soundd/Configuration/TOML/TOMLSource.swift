import SoundTrigger

/// The texts of a configuration's files, for locations inside their strings.
struct TOMLSource: Sendable {
  /// By the file of their locations.
  let texts: [String?: [UInt8]]

  /// The location of a byte of a string; `start` is that of its quote. `nil` if an escape or a line break stands before
  /// the byte, because then the text differs from what is written.
  func location(ofByte offset: Int, in text: String, at start: TOMLLocation) -> TOMLLocation? {
    guard let bytes = texts[start.file], let quote = Self.byteIndex(of: start, in: bytes) else { return nil }
    let isTriple = bytes[quote...].prefix(3).allSatisfy { $0 == bytes[quote] } && !text.isEmpty
    let width = isTriple ? 3 : 1
    let before = Array(text.utf8.prefix(offset))
    let written = bytes[min(quote + width, bytes.count)...]
    guard !before.contains(UInt8(ascii: "\n")), written.first != UInt8(ascii: "\n"), written.starts(with: before) else {
      return nil
    }
    let scalars = String(decoding: before, as: UTF8.self).unicodeScalars.count
    return TOMLLocation(line: start.line, column: start.column + width + scalars, file: start.file)
  }

  private static func byteIndex(of location: TOMLLocation, in bytes: [UInt8]) -> Int? {
    var index = ByteOrderMark.length(in: bytes.span)
    for _ in 1..<max(1, location.line) {
      guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      index = end + 1
    }
    // Every byte that does not continue a scalar begins one.
    var column = 1
    while index < bytes.count, column < location.column || bytes[index] & 0xC0 == 0x80 {
      index += 1
      if index < bytes.count, bytes[index] & 0xC0 != 0x80 { column += 1 }
    }
    return index < bytes.count ? index : nil
  }
}
