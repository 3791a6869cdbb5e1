/// Names of other programs, such as the topics of a broker, as parts of values' names.
///
/// Each byte that no value's name may have, `%` among them, becomes `%` and two capital hexadecimal digits: `Back Door` is
/// `Back%20Door`.
package enum NameEscape {
  /// Why a name cannot be escaped. The description continues a sentence that names it.
  package enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    case empty
    case controlCharacter
    case surroundingWhiteSpace
    case tooLong

    package var description: String {
      switch self {
      case .empty: "is empty"
      case .controlCharacter: "has a control character"
      case .surroundingWhiteSpace: "begins or ends with white space"
      case .tooLong: "is longer than \(ValueName.maximumFedLength) bytes, counted with prefix and escapes"
      }
    }
  }

  /// Appends a prefix, which is the beginning of a name, and the escaped name. Bytes that are not UTF-8 are escaped one by one.
  ///
  /// If it throws, only a part has been appended.
  package static func append(
    _ name: Span<UInt8>, beneath prefix: String, to bytes: inout [UInt8]
  ) throws(Refusal) {
    if name.isEmpty { throw .empty }
    let start = bytes.count
    bytes += prefix.utf8
    var index = 0
    while index < name.count {
      // A name without limit, such as a line of 64 KiB, is not escaped to its end.
      if bytes.count - start > ValueName.maximumFedLength { throw .tooLong }
      if ValueName.mayContinue(name[index]) {
        bytes.append(name[index])
        index += 1
        continue
      }
      let (scalar, length) = UTF8Scalar.decode(name, at: index).map { (Optional($0.scalar), $0.length) } ?? (nil, 1)
      if let scalar {
        if scalar.properties.generalCategory == .control { throw .controlCharacter }
        let isAtEnd = index == 0 || index + length == name.count
        if isAtEnd, scalar.properties.isWhitespace { throw .surroundingWhiteSpace }
      }
      for offset in 0..<length {
        bytes.append(UInt8(ascii: "%"))
        bytes += Hexadecimal.text(name[index + offset]).uppercased().utf8
      }
      index += length
    }
    if bytes.count - start > ValueName.maximumFedLength { throw .tooLong }
  }

  /// The name of a value or trigger as it was before its bytes were escaped, for people.
  ///
  /// What would act on a terminal stays escaped, and so does what is not UTF-8.
  package static func original(_ name: String) -> String {
    if !name.utf8.contains(UInt8(ascii: "%")) { return name }
    let bytes = Array(name.utf8)
    var original: [UInt8] = []
    var index = 0
    while index < bytes.count {
      var escaped: [UInt8] = []
      while index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"),
        let byte = Hexadecimal.capital(bytes[index + 1], bytes[index + 2]), !ValueName.mayContinue(byte)
      {
        escaped.append(byte)
        index += 3
      }
      if escaped.isEmpty {
        original.append(bytes[index])
        index += 1
      } else {
        let start = index - 3 * escaped.count
        appendOriginal(of: escaped.span, written: bytes.span.extracting(start..<index), to: &original)
      }
    }
    return String(decoding: original, as: UTF8.self)
  }

  /// Appends the bytes of neighbouring escapes, or the escapes as they are written.
  private static func appendOriginal(of escaped: Span<UInt8>, written: Span<UInt8>, to original: inout [UInt8]) {
    var index = 0
    while index < escaped.count {
      let scalar = UTF8Scalar.decode(escaped, at: index)
      let end = index + (scalar?.length ?? 1)
      if let scalar, Excerpt.isHarmless(scalar.scalar) {
        original.append(escaped.extracting(index..<end))
      } else {
        original.append(written.extracting(3 * index..<3 * end))
      }
      index = end
    }
  }

  /// The name that may be meant by a text that is none, because it is shown to people in that form; `nil` if it is a name.
  package static func meant(by text: String) -> String? {
    var bytes: [UInt8] = []
    guard ValueName(text) == nil, (try? append(Array(text.utf8).span, beneath: "", to: &bytes)) != nil else {
      return nil
    }
    return ValueName(String(decoding: bytes, as: UTF8.self))?.description
  }
}

extension ValueName {
  /// The name for people, as its feed wrote it.
  package var original: String { NameEscape.original(description) }
}
