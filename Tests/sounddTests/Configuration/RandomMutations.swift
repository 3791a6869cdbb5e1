/// Damages bytes at random, always in the same way for the same seed.
struct RandomMutations {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A copy in which bytes were changed, put in, taken out or doubled, in one place or in as many as `edits`.
  mutating func mutate(_ bytes: [UInt8], edits: Int) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<1 + next(edits) {
      let position = next(bytes.count + 1)
      let end = min(bytes.count, position + 1 + next(8))
      switch next(4) {
      case 0 where position < bytes.count: bytes[position] = byte()
      case 1: bytes.insert(byte(), at: position)
      case 2: bytes.removeSubrange(position..<end)
      default: bytes.insert(contentsOf: bytes[position..<end], at: next(bytes.count + 1))
      }
    }
    return bytes
  }

  /// Mostly a byte that means something in TOML.
  private mutating func byte() -> UInt8 {
    let meaningful = Array("[]{}=.,'\"\\#\n\r\t -+_:0159abeinftuxzTZ".utf8)
    return next(3) == 0 ? UInt8(next(256)) : meaningful[next(meaningful.count)]
  }

  /// SplitMix64: a number from 0 to below the bound.
  private mutating func next(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
  }
}
