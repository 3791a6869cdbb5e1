import SoundTrigger
import SoundWire

/// One `[value.NAME]`.
struct ValueDeclaration: Hashable, Sendable {
  /// Where the updates come from.
  enum Source: Hashable, Sendable {
    /// The socket or standard input.
    case client
    /// A file, folder or pipe at an absolute path; with `poll` it is read at this interval, otherwise when it changes.
    case file(path: String, poll: Duration?, aspect: FileAspect = .content)
    /// What a command reports.
    case command(ExternalCommand)
    /// The feed of this name, beneath whose prefix the value is.
    case feed(String)
    /// Another value.
    case derived(from: ValueName)
  }

  /// What `poll` may be.
  static let pollIntervals = Duration.milliseconds(1)...Duration.seconds(24 * 3600)
  /// The interval for files that inotify does not watch.
  static let defaultPoll = Duration.seconds(1)

  /// What `expect_every` may be.
  static let expectedIntervals = Duration.milliseconds(1)...DurationText.longest

  var name: ValueName
  var kind: ValueKind
  /// Whether white space around the content is removed.
  var trim: Bool
  var source: Source
  /// Extracts the value from each content.
  var extraction: Extraction?
  /// What a derived value says about the other.
  var comparison: Comparison?
  /// After how long without an update it is stale.
  var expectEvery: Duration?

  /// The value that it is derived from.
  var base: ValueName? {
    if case .derived(let base) = source { base } else { nil }
  }

  /// Whether there is something to read at a start: a pipe and a command that runs on have only what comes later.
  var isFileLike: Bool {
    switch source {
    case .file(_, _, let aspect): aspect != .fifo
    case .command(let command): command.every != nil
    case .client, .feed, .derived: false
    }
  }

  /// Whether a reload may keep the source of this declaration for the other one.
  ///
  /// Lines come once: a new source would lose those on their way. Anything else is read again, because the other declaration
  /// may read it in another way.
  func feedsAlike(_ other: ValueDeclaration) -> Bool {
    if self == other || source != other.source { return self == other }
    switch source {
    case .file(_, _, let aspect): return aspect == .lines || aspect == .fifo
    case .command(let command): return command.every == nil
    case .client, .feed, .derived: return false
    }
  }

  /// Whether a timer reads the file's content, again and again although nothing has happened.
  var isPolled: Bool {
    if case .file(_, .some, .content) = source { true } else { false }
  }
}

/// One `[value."PATTERN"]`: the declaration of all names that it matches and that have none of their own.
struct PatternDeclaration: Hashable, Sendable {
  var pattern: ValuePattern
  var kind: ValueKind
  var trim: Bool
  var extraction: Extraction?
  var expectEvery: Duration?
  /// After how long without an update a member is forgotten; longer than `expectEvery`.
  var forgetAfter: Duration?
}
