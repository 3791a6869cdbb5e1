/// Which sound a value plays.
struct SoundTable: Sendable {
  /// The sound that a value chooses.
  enum Choice: Hashable, Sendable {
    case sound(String)
    /// The one after the last played one.
    case next
    /// Any of the list.
    case any
  }

  /// The list that `next` and `any` choose from.
  private var list: [String] = []
  /// Each value's sound, if the choice is a table.
  private var table: [Value: String] = [:]
  /// The choice for all other values.
  private let otherwise: Choice?

  init(_ choice: SoundChoice) {
    switch choice {
    case .sound(let name): otherwise = .sound(name)
    case .list(let names, let pick):
      list = names
      otherwise = pick == .cycle ? .next : .any
    case .table(let sounds, let rest):
      table = sounds
      otherwise = rest.map { .sound($0) }
    }
  }

  /// Whether the sound depends on the value.
  var isTable: Bool { !table.isEmpty }

  /// Whether every value plays this sound; `nil`: none.
  func names(only name: String?) -> Bool { table.isEmpty && otherwise == name.map { .sound($0) } }

  /// The sound for a new value; `nil` if it has none. `value` is `nil` if there is no content.
  @inline(__always)
  subscript(value: Value?) -> Choice? {
    if table.isEmpty { return otherwise }
    return value.flatMap { table[$0] }.map { .sound($0) } ?? otherwise
  }

  /// The sound of a choice. `position` counts the plays of the list, and chooses `next`.
  func sound(_ choice: Choice, position: Int, _ random: inout SplitMix64) -> String {
    switch choice {
    case .sound(let name): name
    case .next: list[position % list.count]
    case .any: list[random.below(list.count)]
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
