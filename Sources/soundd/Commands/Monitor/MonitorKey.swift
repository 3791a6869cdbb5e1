/// A key that the monitor knows.
enum MonitorKey: Equatable {
  case up, down, enter, escape
  /// A printable character of ASCII.
  case character(Character)

  /// The keys of what a terminal sent at once. Skips sequences that it does not know, and unfinished ones.
  static func keys(in bytes: some Sequence<UInt8>) -> [MonitorKey] {
    var keys: [MonitorKey] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      switch byte {
      // An arrow is a control sequence (ECMA-48), or in the application mode a single shift and a letter.
      case 0x1B where rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O"):
        let end = rest.dropFirst().drop { (0x20...0x3F).contains($0) }
        if end.first == UInt8(ascii: "A") { keys.append(.up) }
        if end.first == UInt8(ascii: "B") { keys.append(.down) }
        rest = end.dropFirst()
      // With the Alt key.
      case 0x1B where rest.first.map { $0 != 0x1B } ?? false: rest.removeFirst()
      case 0x1B: keys.append(.escape)
      case 10, 13: keys.append(.enter)
      case 0x20...0x7E: keys.append(.character(Character(Unicode.Scalar(byte))))
      default: break
      }
    }
    return keys
  }
}
