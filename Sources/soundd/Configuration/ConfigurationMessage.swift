import SoundTrigger

/// One error or warning about a configuration, as `FILE:LINE:COLUMN: KEY: what is wrong`.
struct ConfigurationMessage: Equatable, Sendable, CustomStringConvertible {
  var file: String
  var place: TOMLPlace
  /// The path of the key, such as `value.build.type`; `nil` if the file is not TOML.
  ///
  /// Items of arrays are counted from 1: the second trigger's first `to` is `trigger[2].to[1]`.
  var key: String?
  var message: String
  /// What the user may have meant.
  var suggestion: String?

  var description: String {
    let subject = key.map { "\($0): " } ?? ""
    let question = suggestion.map { " (did you mean '\($0)'?)" } ?? ""
    return "\(file):\(place): \(subject)\(message)\(question)"
  }
}

/// Everything that is wrong in a configuration, in the order of the file.
struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// Never empty.
  let errors: [ConfigurationMessage]

  /// One line for each error.
  var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// The path of a key from the top of the configuration, as error messages write it.
struct ConfigurationPath: Equatable, Sendable, CustomStringConvertible {
  /// The document itself.
  static let top = ConfigurationPath(description: "")

  let description: String

  /// A key in the table at this path.
  func key(_ key: String) -> ConfigurationPath {
    let part = Self.part(key)
    return ConfigurationPath(description: description.isEmpty ? part : "\(description).\(part)")
  }

  /// A key as TOML would write it: in double quotes if it needs them.
  static func part(_ key: String) -> String {
    let shown = Excerpt.quoting(key).dropFirst().dropLast()
    return !key.isEmpty && key.utf8.allSatisfy(TOMLKey.isBare) ? String(shown) : "\"\(shown)\""
  }

  /// An item of the array at this path; `index` counts from 0, the text from 1.
  func item(_ index: Int) -> ConfigurationPath {
    ConfigurationPath(description: "\(description)[\(index + 1)]")
  }
}

/// Finds what the user may have meant.
enum Suggestion {
  /// Words longer than this get no suggestion.
  private static let longest = 40

  /// The candidate nearest to the word, the first of equals; `nil` if none is near.
  ///
  /// Near is one edit for every three letters, at least one; letters' case does not count.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word.lowercased().unicodeScalars)
    guard letters.count <= longest else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(letters, Array(candidate.lowercased().unicodeScalars))
      guard distance <= max(1, letters.count / 3), distance < candidate.unicodeScalars.count else { continue }
      if let known = best?.distance, known <= distance { continue }
      best = (candidate, distance)
    }
    return best?.candidate
  }

  /// A suggestion as messages end with it; empty for `nil`.
  static func question(_ suggestion: String?) -> String { suggestion.map { " (did you mean '\($0)'?)" } ?? "" }

  /// How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one into the other
  /// (the optimal string alignment distance).
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var distance = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          distance = min(distance, beforeLast[column - 1] + 1)
        }
        current.append(distance)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
