import SoundTrigger

/// One `[value.NAME]`.
struct ValueDeclaration: Equatable, Sendable {
  /// Where the updates come from.
  enum Source: Equatable, Sendable {
    /// The socket or standard input.
    case client
    /// The content of a file at an absolute path; with `poll` it is read at this interval, else when it changes.
    case file(path: String, poll: Duration?)
  }

  /// What `poll` may be.
  static let pollIntervals = Duration.milliseconds(1)...Duration.seconds(24 * 3600)
  /// The interval for files of which inotify does not tell.
  static let defaultPoll = Duration.seconds(1)

  var name: ValueName
  var kind: ValueKind
  /// Whether white space around the content is taken off.
  var trim: Bool
  var source: Source

  /// Whether the value's file is read on a timer.
  var isPolled: Bool {
    if case .file(_, .some) = source { true } else { false }
  }
}
