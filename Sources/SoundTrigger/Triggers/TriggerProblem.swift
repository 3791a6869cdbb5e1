/// Why a trigger could never play, or could not do what its definition says.
package struct TriggerProblem: Hashable, Sendable, CustomStringConvertible {
  /// The key of the configuration that is at fault, such as `below`.
  package var key: String
  /// What is wrong, as a clause that may follow the key and a colon.
  package var message: String

  package init(key: String, message: String) {
    self.key = key
    self.message = message
  }

  package var description: String { "\(key): \(message)" }
}
