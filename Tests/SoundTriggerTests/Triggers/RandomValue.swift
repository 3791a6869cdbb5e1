import SoundTrigger

/// The values of a random world: two numbers, a text, an event, a truth and a document.
enum RandomValue {
  static let names = ["n0", "n1", "t0", "e0", "b0", "j0"].compactMap { ValueName($0) }
  static let event = 3

  /// Values of which the same can be asked.
  static let groups = [[0, 1], [0, 1], [0, 1], [2, 3], [2, 3], [4], [5]]

  static func place(_ name: ValueName) -> Int { names.firstIndex(of: name) ?? 0 }

  static func contents(of place: Int) -> [Value] {
    switch place {
    case 0, 1: numbers
    case 2, 3: texts
    case 4: truths
    default: documents
    }
  }

  /// What may come seldom, beside the usual contents.
  static func oddContent(of place: Int) -> Value? { place == 2 || place == 3 ? oddTexts.first : nil }

  /// Content too long to be kept.
  static let huge = Value.fingerprint(Fingerprint(length: 70_000, digest: SIMD8(repeating: 7)))

  private static let numbers = (0..<9).map { Value.number(Double($0) / 2) }
  private static let texts = ["a", "b", "c"].map { Value.text(Array($0.utf8)) }
  private static let truths = [Value.bool(false), .bool(true)]
  private static let documents = ["[1]", "[2]", "\"a\""].map { Value.json(Array($0.utf8)) }
  private static let oddTexts = [Value.text(Array(repeating: UInt8(ascii: "a"), count: 130) + [UInt8(ascii: "!")])]

  /// Expressions of which each finds some contents of most values.
  static let patterns = ["a", "^[bc1]", "[1-3]$", "\\.5", "^t|2|c", "^(a|aa)+$"].compactMap { try? Pattern($0) }
}
