import SoundTrigger

/// A warning of a running daemon, as its status has it.
struct ReportedWarning: Equatable {
  /// `nil`: a daemon of another version has a word that this command does not know, or none.
  var code: WarningCode?
  /// For people.
  var message: String
  /// The value that was set, if it is about that.
  var value: String?
  /// Where it is in the configuration, if it is about a place: line, column and key.
  var place: Place?

  struct Place: Hashable {
    var line: Int
    var column: Int
    var key: String?
  }

  /// The warnings of a status. Those of older daemons are texts.
  static func all(in status: JSONObject) -> [ReportedWarning] {
    guard let warnings = status["warnings"].flatMap({ try? JSONObject.array($0) }) else {
      return status.texts("warnings").map { ReportedWarning(message: $0) }
    }
    return warnings.map { warning in
      var place: Place?
      if let line = warning.number("line"), let column = warning.number("column") {
        place = Place(line: line, column: column, key: warning.text("key"))
      }
      return ReportedWarning(
        code: warning.text("code").flatMap { WarningCode(rawValue: $0) }, message: warning.text("message") ?? "",
        value: warning.text("value"), place: place)
    }
  }
}

extension ReportedWarning.Place {
  init(_ message: ConfigurationMessage) {
    self.init(line: message.location.line, column: message.location.column, key: message.key)
  }
}
