import SoundTrigger

/// How long the chunks are in which a stream arrives: always the same for the same input.
///
/// Taken from a hash of the input, so that a corpus file is nothing but a stream of lines.
package struct CutSizes {
  private var random: SplitMix64

  /// Sizes that belong to an input.
  package init(of input: [UInt8]) {
    // FNV-1a.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in input { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    random = SplitMix64(seed: hash)
  }

  /// The next size, from 1 to 65,536: mostly a few bytes or some hundreds.
  package mutating func next() -> Int {
    let bound = [4, 16, 64, 512, 4096, 65_536][Int(random.next() % 6)]
    return 1 + Int(random.next() % UInt64(bound))
  }

  /// Whether to do something that is done a quarter of the time.
  package mutating func quarter() -> Bool { random.next() % 4 == 0 }
}
