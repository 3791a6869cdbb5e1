/// Why a trigger could never play, or could not do what its definition says.
package struct TriggerProblem: Hashable, Sendable, CustomStringConvertible {
  /// The key of the configuration that causes it, such as `below`.
  package var key: String
  /// The problem as a clause that follows the key and a colon. Other keys that it names are in backquotes.
  private var clause: String

  fileprivate init(key: String, clause: String) {
    self.key = key
    self.clause = clause
  }

  /// The problem as a clause that follows the key and a colon.
  package var message: String { String(clause.filter { $0 != "`" }) }

  /// The same on a command line, where keys are options: `--loop-every: must be longer than 0`.
  package var optionDescription: String {
    // Every second part is a key, and the value of an option follows without an equals sign.
    let parts = clause.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      index % 2 == 1 ? Self.option(part) : index > 0 && part.hasPrefix(" = ") ? part.dropFirst(2) : String(part)[...]
    }
    return "\(Self.option(key[...])): \(parts.joined())"
  }

  private static func option(_ key: Substring) -> Substring { "--\(String(key.map { $0 == "_" ? "-" : $0 }))"[...] }

  package var description: String { "\(key): \(message)" }
}

extension [TriggerProblem] {
  /// Adds a problem of a key, if the condition for it holds.
  mutating func add(_ key: String, _ message: @autoclosure () -> String, if isWrong: Bool = true) {
    if isWrong { append(TriggerProblem(key: key, clause: message())) }
  }
}

/// A watched value, with all that matters to the problems of a definition.
package struct WatchedValue: Hashable, Sendable {
  /// Its name, or its pattern.
  package var name: String
  package var kind: ValueKind
  /// Whether the value has `expect_every`, so that it may become stale.
  package var isExpected: Bool

  package init(_ name: ValueName, _ kind: ValueKind, isExpected: Bool = false) {
    self.init(ValuePattern(exactly: name), kind, isExpected: isExpected)
  }

  package init(_ pattern: ValuePattern, _ kind: ValueKind, isExpected: Bool = false) {
    name = pattern.description
    self.kind = kind
    self.isExpected = isExpected
  }
}
