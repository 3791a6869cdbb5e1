/// A stream of lines with the moments at which its parts arrive.
///
/// The input is the stream as it is, but for two bytes that lines seldom hold: 0x02 lets 0.7 ms pass, and 0x01 and a byte n
/// stand for 512 × (n + 1) letters x, so that a small input can make the longest lines.
struct Stream {
  /// The parts, each 0.7 ms after the one before.
  private(set) var parts: [[UInt8]] = [[]]
  /// At most 256 KiB of such letters, and 22 ms: the longest lines and pauses that the target needs.
  private static let (mostStretches, mostParts) = (2, 32)

  init(_ input: [UInt8]) {
    var stretches = 0
    var place = 0
    while place < input.count {
      let byte = input[place]
      place += 1
      switch byte {
      case 2 where parts.count < Self.mostParts: parts.append([])
      case 1 where place < input.count && stretches < Self.mostStretches:
        stretches += 1
        parts[parts.count - 1] += repeatElement(UInt8(ascii: "x"), count: 512 * (Int(input[place]) + 1))
        place += 1
      default: parts[parts.count - 1].append(byte)
      }
    }
  }
}
