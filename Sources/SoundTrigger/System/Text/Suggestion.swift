/// Finds what the user may have meant.
package enum Suggestion {
  /// Words longer than this get no suggestion.
  private static let longest = 40

  /// The candidate nearest to the word, the first of equals; `nil` if none is near.
  ///
  /// Near is one edit for every three letters, at least one; letters' case does not count. The word itself is no suggestion.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word.lowercased().unicodeScalars)
    guard letters.count <= longest else { return nil }
    var best: (candidate: String, distance: Int)?
    let most = max(1, letters.count / 3)
    for candidate in candidates where candidate != word {
      let others = Array(candidate.lowercased().unicodeScalars)
      // Each letter more or less is an edit.
      if abs(others.count - letters.count) > most { continue }
      guard let distance = distance(letters, others, atMost: most), distance < candidate.unicodeScalars.count else {
        continue
      }
      if let known = best?.distance, known <= distance { continue }
      best = (candidate, distance)
    }
    return best?.candidate
  }

  /// A suggestion as messages end with it; empty for `nil`.
  package static func question(_ suggestion: String?) -> String { suggestion.map { " (did you mean '\($0)'?)" } ?? "" }

  /// How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one into the other
  /// (the optimal string alignment distance); `nil` if more than `most`.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost most: Int) -> Int? {
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
      // No row after these two is less than the lesser of them.
      if row > 0, (last + current).allSatisfy({ $0 > most }) { return nil }
      beforeLast = last
      last = current
    }
    return last[right.count] <= most ? last[right.count] : nil
  }
}
