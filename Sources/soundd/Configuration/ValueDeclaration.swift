import SoundTrigger

/// One `[value.NAME]`.
struct ValueDeclaration: Equatable, Sendable {
  /// Where the updates come from.
  enum Source: Equatable, Sendable {
    /// The socket or standard input.
    case client
    /// What a file, folder or pipe at an absolute path tells; with `poll` it is looked at at this interval, else when it
    /// changes.
    case file(path: String, poll: Duration?, aspect: FileAspect = .content)
    /// Another value.
    case derived(from: ValueName)
  }

  /// What `poll` may be.
  static let pollIntervals = Duration.milliseconds(1)...Duration.seconds(24 * 3600)
  /// The interval for files of which inotify does not tell.
  static let defaultPoll = Duration.seconds(1)

  /// What `expect_every` may be.
  static let expectedIntervals = Duration.milliseconds(1)...DurationText.longest

  var name: ValueName
  var kind: ValueKind
  /// Whether white space around the content is taken off.
  var trim: Bool
  var source: Source
  /// What is taken out of each content.
  var extraction: Extraction?
  /// What a derived value tells about the other.
  var comparison: Comparison?
  /// After how long without an update it is stale.
  var expectEvery: Duration?

  /// The value that it is derived from.
  var base: ValueName? {
    if case .derived(let base) = source { base } else { nil }
  }

  /// Whether it goes on to change when no client sets anything any more.
  var hasOwnSource: Bool {
    if case .file = source { true } else { false }
  }

  /// Whether the source of this declaration may go on for the other one.
  ///
  /// Lines come once: a source that begins anew would lose those on their way. Anything else is told again, which a
  /// declaration that reads it in another way may need.
  func feedsAlike(_ other: ValueDeclaration) -> Bool {
    guard source == other.source, case .file(_, _, let aspect) = source else { return self == other }
    return self == other || aspect == .lines || aspect == .fifo
  }

  /// Whether a file's content is read on a timer, and so told again and again although nothing has happened.
  var isPolled: Bool {
    if case .file(_, .some, .content) = source { true } else { false }
  }
}
