/// Gives every trigger a name of its own.
struct TriggerNames {
  /// Names, and where they were given; `nil` for those made up here.
  private var taken: [String: TOMLPlace?] = [:]
  /// The number to go on with, so that a thousand triggers of one value do not search a thousand times.
  private var nextNumber: [String: Int] = [:]

  /// Takes a name; returns where it was taken before, if it was.
  mutating func claim(_ name: String, at place: TOMLPlace) -> TOMLPlace? {
    if let earlier = taken[name] { return earlier }
    taken.updateValue(place, forKey: name)
    return nil
  }

  /// Takes the first free one of `value`, `value-2`, `value-3` … All names that are given must have been claimed.
  mutating func makeUp(for value: String) -> String {
    var number = nextNumber[value] ?? 1
    var name = number == 1 ? value : "\(value)-\(number)"
    while taken.keys.contains(name) {
      number += 1
      name = "\(value)-\(number)"
    }
    nextNumber[value] = number + 1
    taken.updateValue(nil, forKey: name)
    return name
  }
}
