/// How long the chunks are in which a stream arrives: always the same for the same input.
///
/// Taken from a hash of the input, so that a corpus file is nothing but a stream of lines.
package struct CutSizes {
  private var state: UInt64

  /// Sizes that belong to an input.
  package init(of input: [UInt8]) {
    // FNV-1a.
    state = 0xcbf2_9ce4_8422_2325
    for byte in input { state = (state ^ UInt64(byte)) &* 0x0100_0000_01b3 }
  }

  /// The next size, from 1 to 65,536: mostly a few bytes or some hundreds.
  package mutating func next() -> Int {
    let bound = [4, 16, 64, 512, 4096, 65_536][Int(random() % 6)]
    return 1 + Int(random() % UInt64(bound))
  }

  /// Whether to do something that is done a quarter of the time.
  package mutating func quarter() -> Bool { random() % 4 == 0 }

  /// SplitMix64.
  private mutating func random() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
