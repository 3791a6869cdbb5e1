/// Sizes of memory as people write them: `64 KiB`, `256 MiB`, `1 GiB`, also `1.5GiB`.
package enum SizeText {
  /// What messages show as examples.
  package static let examples = #""64 KiB", "256 MiB" or "1 GiB""#

  /// Units in bytes, the smallest first.
  private static let units: [(name: String, bytes: Int)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]

  /// The size in bytes, rounded down; `nil` if the text is none.
  ///
  /// A number, digits with or without a fraction, then the unit, with or without spaces between.
  package static func size(_ text: String) -> Int? {
    let number = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
    let name = text[number.endIndex...].drop { $0 == " " }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    // With so few digits no product overflows.
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.count <= 9 }),
      let unit = units.first(where: { $0.name == name }), let whole = Int(parts[0])
    else { return nil }
    let fraction = parts.count == 2 ? parts[1] : "0"
    guard let digits = Int(fraction) else { return nil }
    let scale = fraction.reduce(into: 1) { scale, _ in scale *= 10 }
    return whole * unit.bytes + digits * unit.bytes / scale
  }

  /// What the user may have meant by a text that is no size: `256 MiB` for `256M`, `256mb` or `256`; `nil` if nothing is likely.
  package static func suggestion(for text: String) -> String? {
    if text.utf8.count > 40 { return nil }
    if size("\(text) MiB") != nil { return "\(text) MiB" }
    let number = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
    let word = text[number.endIndex...].drop { $0 == " " }.lowercased()
    guard let unit = units.first(where: { word.first == $0.name.lowercased().first }),
      ["", "b", "ib"].contains(String(word.dropFirst()))
    else { return nil }
    let suggestion = "\(number) \(unit.name)"
    return suggestion != text && size(suggestion) != nil ? suggestion : nil
  }

  /// The size in the largest unit in which it is at least 1, to a tenth; below 1 KiB in bytes.
  package static func text(_ bytes: Int) -> String {
    guard let unit = units.last(where: { bytes >= $0.bytes }) else { return "\(bytes) bytes" }
    let tenths = (bytes * 10 + unit.bytes / 2) / unit.bytes
    return "\(DecimalText.text(tenths, fractionDigits: 1)) \(unit.name)"
  }
}
