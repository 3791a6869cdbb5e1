import SoundTrigger

/// Why a line asks for nothing that can be done.
///
/// The description is what the sender is told.
enum RequestError: Error, Equatable, CustomStringConvertible {
  /// The line is longer than `LineReader.limit`.
  case lineTooLong
  /// The stream ended before the line did.
  case unfinishedLine
  /// A command that is not UTF-8.
  case notUTF8
  case unknownCommand(String)
  case badName(String)
  case nameTooLong
  case missingArgument(command: String, String)
  case unexpectedArgument(command: String)
  /// `stop` and a blank, but no name.
  case emptyTrigger

  var description: String {
    switch self {
    case .lineTooLong: "the line is longer than \(LineReader.limit) bytes and was skipped"
    case .unfinishedLine: "the line has no end and was ignored; end it with a newline"
    case .notUTF8: "a command must be UTF-8"
    case .unknownCommand(let word):
      "'\(Self.excerpt(word))' is neither NAME=VALUE nor a command (get, list, status, explain, sync, events, play, stop, "
        + "volume, mute, unmute, profile, reload)"
    case .badName(let name):
      name.isEmpty
        ? "there is no name before '='"
        : "'\(Self.excerpt(name))' is not a name: letters, digits and '_', then also '.', '/', ':' and '-', "
          + "at most \(ValueName.maximumLength) bytes"
    case .nameTooLong: "the name is longer than \(ValueName.maximumLength) bytes"
    case .missingArgument(let command, let what): "'\(command)' needs an argument: \(command) \(what)"
    case .unexpectedArgument(let command): "'\(command)' takes no argument"
    case .emptyTrigger: "'stop' and a blank need a trigger's name; 'stop' alone, without a blank, stops everything"
    }
  }

  /// The beginning of a text from outside, fit to be shown: at most 40 characters, without control characters.
  static func excerpt(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      if count == 40 { return String(shown) + "…" }
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      shown.append(isControl ? "\u{FFFD}" : scalar)
      count += 1
    }
    return String(shown)
  }
}
