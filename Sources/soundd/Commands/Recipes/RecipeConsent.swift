import Glibc
import SoundTrigger

/// Shows changes of other programs' files, and asks whether to make them.
struct RecipeConsent {
  let shelf: RecipeShelf

  /// Whether there is a person to ask.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// A change in words: the file, and what is added to it and taken out, a line each.
  func text(_ change: RecipePlan.Change) -> String {
    let head = shelf.look(change.path) == nil ? "new file \(change.path)" : "change \(change.path)"
    return ([head] + change.lines.map { "  \($0)" }).map { Excerpt.escaping($0) }.joined(separator: "\n")
  }

  /// Asks about each change; anything but yes is no.
  func accepted(_ changes: [RecipePlan.Change]) throws(Failure) -> [RecipePlan.Change] {
    var accepted: [RecipePlan.Change] = []
    for change in changes {
      try StandardStreams.print(text(change))
      StandardStreams.write(STDOUT_FILENO, Array("Do that? [y/N] ".utf8))
      guard let answer = readLine() else {
        try StandardStreams.print("")
        return accepted
      }
      if ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace }) { accepted.append(change) }
    }
    return accepted
  }
}
