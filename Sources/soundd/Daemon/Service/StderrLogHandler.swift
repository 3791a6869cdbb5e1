import Logging

/// Logs to standard error: with the journal's priorities if it goes there, else as `soundd: …` for people.
struct StderrLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata = Logger.Metadata()

  init(level: Logger.Level) { logLevel = level }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    StandardStreams.show("\(event.message)", priority: Self.priority(event.level))
  }

  /// The syslog priority of a level.
  static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
