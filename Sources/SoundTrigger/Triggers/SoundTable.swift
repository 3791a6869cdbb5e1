/// Which sound a value plays, with the names replaced by their places.
enum SoundTable: Hashable, Sendable {
  case one(SoundID)
  case table([Value: SoundID], otherwise: SoundID?)

  init(_ choice: SoundChoice, _ identify: (String) -> SoundID) {
    switch choice {
    case .sound(let name): self = .one(identify(name))
    case .table(let names, let otherwise):
      self = .table(names.mapValues(identify), otherwise: otherwise.map(identify))
    }
  }

  /// The sound of a new value; `nil`: this value is silent.
  subscript(value: Value) -> SoundID? {
    switch self {
    case .one(let sound): sound
    case .table(let sounds, let otherwise): sounds[value] ?? otherwise
    }
  }
}

extension SoundChoice {
  /// The names of all sounds this may choose, in an order that is always the same.
  package var names: [String] {
    switch self {
    case .sound(let name): [name]
    case .table(let sounds, let otherwise): Set(sounds.values).sorted() + (otherwise.map { [$0] } ?? [])
    }
  }
}
