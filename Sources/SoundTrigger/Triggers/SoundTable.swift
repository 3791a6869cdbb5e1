/// Which sound a value plays, with the names replaced by their places.
struct SoundTable: Sendable {
  /// What is to be played for a value; it stays valid over a reload of an equal definition.
  enum Choice: Sendable {
    /// The sound at this place in the table.
    case place(Int)
    /// The one after the last played one.
    case next
    /// Any.
    case any
  }

  private enum Lookup: Sendable {
    case always(Choice)
    case few([Entry], otherwise: Int?)
    case many([Value: Int], otherwise: Int?)
  }

  private struct Entry: Sendable {
    var value: Value
    var place: Int
  }

  /// Up to so many values are compared one by one, which costs less than to hash one.
  private static let few = 8

  /// Each sound that may be chosen; of a list all, repetitions included.
  private let sounds: [SoundID]
  private let lookup: Lookup

  init(_ choice: SoundChoice, _ identify: (String) -> SoundID) {
    let names = choice.names
    sounds = names.map(identify)
    switch choice {
    case .sound: lookup = .always(.place(0))
    case .list(_, .cycle): lookup = .always(.next)
    case .list(_, .random): lookup = .always(.any)
    case .table(let table, let otherwise):
      let places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
      let known = table.compactMapValues { places[$0] }
      let rest = otherwise.flatMap { places[$0] }
      lookup =
        table.count > Self.few
        ? .many(known, otherwise: rest) : .few(known.map { Entry(value: $0, place: $1) }, otherwise: rest)
    }
  }

  /// What a new value plays, `nil` being that of a value without content; `nil`: it is silent.
  subscript(value: Value?) -> Choice? {
    switch lookup {
    case .always(let choice): choice
    case .few(let entries, let otherwise): (entries.first { $0.value == value }?.place ?? otherwise).map { .place($0) }
    case .many(let places, let otherwise): (value.flatMap { places[$0] } ?? otherwise).map { .place($0) }
    }
  }

  /// The sound of a choice. `position` counts the plays of the list, and chooses `next`.
  func sound(_ choice: Choice, position: Int, _ random: inout SplitMix64) -> SoundID {
    switch choice {
    case .place(let place): sounds[place]
    case .next: sounds[position % sounds.count]
    case .any: sounds[random.below(sounds.count)]
    }
  }
}

extension SoundChoice {
  /// The names of all sounds this may choose, in an order that is always the same.
  package var names: [String] {
    switch self {
    case .sound(let name): [name]
    case .list(let names, _): names
    case .table(let sounds, let otherwise): Set(sounds.values).sorted() + (otherwise.map { [$0] } ?? [])
    }
  }
}
