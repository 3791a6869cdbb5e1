/// Numbers that look random and are the same for the same seed everywhere: `pick = "random"`, and the tests.
///
/// The algorithm is SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to less than `count`, which is more than 0. The bias is `count` in 2^64.
  mutating func below(_ count: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// The index of any item but the last one, if there is another. `items` is not empty. Allocates nothing.
  mutating func index<Item>(of items: [Item], isLast: (Item) -> Bool) -> Int {
    let count = items.count { !isLast($0) }
    if count == 0 { return 0 }
    var rest = below(count)
    return items.firstIndex { item in
      if isLast(item) { return false }
      rest -= 1
      return rest < 0
    } ?? 0
  }
}
