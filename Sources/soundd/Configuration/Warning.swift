import SoundTrigger

/// What a warning is about: a word on which programs may rely, while its sentence may change.
enum WarningCode: String, CaseIterable {
  /// The configuration has no trigger.
  case noTrigger = "no_trigger"
  /// A name that nothing declares, while a declared one is close to it.
  case undeclared
  /// No trigger uses a declared value.
  case unused
  /// Two triggers play the same for the same changes.
  case double
  /// A critical alarm counts as acknowledged after a time, although nobody has acknowledged it.
  case givesUp = "gives_up"
  /// `debounce` waits for a jittering number to be still.
  case neverStill = "never_still"
  /// A value in `unless`, `quiet_while` or `silent_while` is of a type that is never true.
  case neverTrue = "never_true"
  /// Nothing can be seen at a path now.
  case path
  /// A command cannot be started, fails, or does not end in time; or a feed is silent for its `expect_every`.
  case command
  /// A mount does not answer, so the values on it keep their contents.
  case unavailable
  /// The daemon has not looked at the paths of all values.
  case unchecked
  /// There is no configuration file, or a bad one and no good copy of it.
  case noConfiguration = "no_configuration"
  /// The file was bad when soundd started, so the last good one runs.
  case lastGood = "last_good"
  /// The file is not what runs, because of this error.
  case notReloaded = "not_reloaded"
  /// The daemon does not see when the configuration is saved.
  case notWatched = "not_watched"
  /// The sounds alone take more than `limits.memory`.
  case memory
  /// The file of a sound was cut off.
  case truncated
  /// Some of a pack's sounds cannot be played.
  case unplayable
  /// A sound theme is not installed.
  case theme
  /// A sound is too long for another pitch, or there is no memory for it.
  case pitch
  /// The state is not saved.
  case unsaved
  /// Another daemon saves its state in the same place, so this one saves nothing.
  case stateLocked = "state_locked"
  /// The state cannot be locked, so another daemon may save its own over it.
  case stateUnlocked = "state_unlocked"
  /// A setting counts only after a restart.
  case restart
  /// A pattern has refused members, because it has as many as it may have.
  case members
  /// A client set a name that is probably misspelt.
  case misspelt
  /// There are more warnings of one kind than are shown.
  case more
}

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

  /// Reads what `JSONWriter.warning` writes.
  init(_ warning: JSONObject) {
    self.init(
      warning.text("code").flatMap { WarningCode(rawValue: $0) }, warning.text("message") ?? "",
      value: warning.text("value"))
    file = warning.text("file")
    if let line = warning.number("line"), let column = warning.number("column") {
      position = Position(location: TOMLLocation(line: line, column: column), key: warning.text("key"))
    }
  }

  /// The warnings of a daemon's status.
  static func all(in status: JSONObject) -> [Warning] {
    (status["warnings"].flatMap { try? JSONObject.array($0) } ?? []).map { Warning($0) }
  }
}

extension JSONWriter {
  /// A warning as `status` has it.
  mutating func warning(_ warning: Warning) {
    object { writer in
      writer.member("code", warning.code?.rawValue)
      writer.member("message", warning.description)
      writer.member("value", warning.value)
      writer.member("file", warning.file)
      writer.member("line", warning.position?.location.line)
      writer.member("column", warning.position?.location.column)
      writer.member("key", warning.position?.key)
    }
  }
}
