/// Which sound a value plays.
struct SoundTable: Sendable {
  /// The sound that a value chooses. It stays valid after a reload of an equal definition.
  enum Choice: Hashable, Sendable {
    /// The sound at this place in the table.
    case place(Int)
    /// The one after the last played one.
    case next
    /// Any.
    case any
  }

  /// Each sound that may be chosen; every entry of a list, repetitions included.
  private let sounds: [String]
  /// The place of each value's sound, if the choice is a table.
  private let places: [Value: Int]
  /// The choice if no place is known.
  private let otherwise: Choice?

  init(_ choice: SoundChoice) {
    let names = choice.names
    sounds = names
    switch choice {
    case .sound: (places, otherwise) = ([:], .place(0))
    case .list(_, .cycle): (places, otherwise) = ([:], .next)
    case .list(_, .random): (places, otherwise) = ([:], .any)
    case .table(let table, let rest):
      let known = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
      places = table.compactMapValues { known[$0] }
      otherwise = rest.flatMap { known[$0] }.map { .place($0) }
    }
  }

  /// Whether some values have no sound.
  var isPartial: Bool { otherwise == nil }

  /// Whether the sound depends on the value.
  var isTable: Bool { !places.isEmpty }

  /// What a new value plays; `nil` if it is silent. `value` is `nil` for a value without content.
  @inline(__always)
  subscript(value: Value?) -> Choice? {
    if places.isEmpty { return otherwise }
    return value.flatMap { places[$0] }.map { .place($0) } ?? otherwise
  }

  /// The sound of a choice. `position` counts the plays of the list, and chooses `next`.
  func sound(_ choice: Choice, position: Int, _ random: inout SplitMix64) -> String {
    switch choice {
    case .place(let place): sounds[place]
    case .next: sounds[position % sounds.count]
    case .any: sounds[random.below(sounds.count)]
    }
  }
}

/// Numbers that look random and are the same for the same seed everywhere: the engine's `pick = "random"`.
///
/// The algorithm is SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
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
}
