import Glibc
import SoundTrigger

/// Volumes as people write them: a level such as `-6 dB`, or a factor such as `0.5`.
package enum VolumeText {
  /// What messages ask for.
  package static let expected = #"a level such as "-6 dB" or a factor of 0 to 1"#

  /// The factor, which is not negative and may be above 1; `nil` if the text is no volume.
  package static func factor(_ text: String) -> Double? {
    if text.lowercased().hasSuffix("db") { return decibels(text).map { pow(10, $0 / 20) } }
    return number(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// The number of decibels in a text such as `3 dB`; `nil` if it is none.
  package static func decibels(_ text: String) -> Double? {
    guard text.lowercased().hasSuffix("db") else { return nil }
    var level = text.dropLast(2)
    while level.last == " " { level = level.dropLast() }
    return number(String(level))
  }

  /// What the user may have meant by a text that is no volume: `-6 dB` for `-6`, `0.5` for `50%`; `nil` if nothing is likely.
  package static func suggestion(for text: String) -> String? {
    if let level = number(text), level < 0 { return "\(text) dB" }
    guard text.hasSuffix("%"), let percent = number(String(text.dropLast())), (0...100).contains(percent) else {
      return nil
    }
    return rounded(percent / 100, to: 10_000)
  }

  /// The factor and, in brackets, the level, rounded; the factor can be read again.
  package static func text(_ factor: Double) -> String { "\(rounded(factor, to: 10_000)) (\(level(factor)))" }

  /// The level, rounded: `-6 dB`, or `silent`.
  package static func level(_ factor: Double) -> String {
    factor > 0 ? "\(rounded(20 * log10(factor), to: 100)) dB" : "silent"
  }

  /// `-6 dB`, or `0`: for what is silent, or nearly.
  package static func short(_ factor: Double) -> String { factor > 0 ? level(factor) : "0" }

  /// Accepts a sign, up to six digits and a fraction, and nothing else.
  private static func number(_ text: String) -> Double? {
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard areDigits, parts[0].count <= 6 else { return nil }
    return Double(text)
  }

  private static func rounded(_ number: Double, to parts: Double) -> String {
    ((number * parts).rounded() / parts).shortestText
  }
}
