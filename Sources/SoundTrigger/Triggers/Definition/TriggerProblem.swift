/// Why a trigger could never play, or could not do what its definition says.
package struct TriggerProblem: Hashable, Sendable, CustomStringConvertible {
  /// The key of the configuration that causes it, such as `below`.
  package var key: String
  /// What is wrong, as a clause that follows the key and a colon.
  package var message: String

  package var description: String { "\(key): \(message)" }
}

extension [TriggerProblem] {
  /// Adds a problem of a key, if the condition for it holds.
  mutating func add(_ key: String, _ message: @autoclosure () -> String, if isWrong: Bool = true) {
    if isWrong { append(TriggerProblem(key: key, message: message())) }
  }
}

/// What a definition must know of a value that it watches, to find its problems.
package struct WatchedValue: Hashable, Sendable {
  package var name: ValueName
  package var kind: ValueKind
  /// Whether the value has `expect_every`, so that it may become stale.
  package var isExpected: Bool

  package init(_ name: ValueName, _ kind: ValueKind, isExpected: Bool = false) {
    self.name = name
    self.kind = kind
    self.isExpected = isExpected
  }
}
