import SoundTrigger
import SoundWire

/// A valid setting that can never sound, or another reason why the daemon does not do what its user expects.
struct Warning: Equatable, Sendable, CustomStringConvertible {
  /// Where it is in a configuration.
  struct Position: Hashable, Sendable {
    var location: TOMLLocation
    var key: String?
  }

  /// `nil`: a daemon of another version has a word that this command does not know.
  var code: WarningCode?
  /// For people: one line, with its position.
  var description: String
  /// The value that was set, if it is about that.
  var value: String?
  /// The configuration, if it is about a line of one.
  var file: String?
  var position: Position?

  /// Whether the file is not what runs.
  var isAboutFile: Bool { [.lastGood, .noConfiguration, .notReloaded].contains(code) }

  init(_ code: WarningCode?, _ description: String, value: String? = nil) {
    self.code = code
    self.description = description
    self.value = value
  }

  init(_ code: WarningCode, _ message: ConfigurationMessage) {
    self.init(code, message.description)
    file = message.file
    position = Position(location: message.location, key: message.key)
  }

  static func fullPattern(_ pattern: ValuePattern, refused: Int, limit: Int) -> Warning {
    let updates = refused == 1 ? "update" : "updates"
    return Warning(
      .members,
      "\"\(pattern)\" may have \(limit) members, and refused \(refused) \(updates) of others (limits.members, or 'forget_after' "
        + "for those that are gone)")
  }

  /// As `status` has it.
  var message: WarningMessage {
    var message = WarningMessage()
    (message.code, message.message) = (code.map { Word($0) }, description)
    (message.value, message.file) = (value, file)
    (message.line, message.column, message.key) = (position?.location.line, position?.location.column, position?.key)
    return message
  }

  init(_ message: WarningMessage) {
    self.init(message.code?.kind, message.message, value: message.value)
    file = message.file
    if let line = message.line, let column = message.column {
      position = Position(location: TOMLLocation(line: line, column: column), key: message.key)
    }
  }
}
