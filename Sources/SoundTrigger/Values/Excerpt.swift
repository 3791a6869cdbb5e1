/// A piece of foreign content that is safe to show on a terminal: at most 40 bytes, everything else escaped.
package enum Excerpt {
  /// How many bytes of the content are shown.
  static let maximumLength = 40

  /// The content in single quotes, `…` after it if it goes on.
  ///
  /// Bytes that are not UTF-8 read `\xNN`, characters that
  /// would act on a terminal `\u{N}`.
  static func quoting(_ bytes: Span<UInt8>) -> String {
    var text = "'"
    var index = 0
    while index < bytes.count {
      let decoded = UTF8Scalar.decode(bytes, at: index)
      let length = decoded?.length ?? 1
      if index + length > maximumLength { return text + "…'" }
      if let scalar = decoded?.scalar {
        text += isPrintable(scalar) ? String(scalar) : escape(scalar)
      } else {
        text += "\\x" + hexadecimal(bytes[index])
      }
      index += length
    }
    return text + "'"
  }

  static func quoting(_ byte: UInt8) -> String {
    (0x20...0x7e).contains(byte) ? "'\(Unicode.Scalar(byte))'" : "byte 0x\(hexadecimal(byte))"
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  /// What is shown in place of a character that would act on a terminal.
  package static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
}
