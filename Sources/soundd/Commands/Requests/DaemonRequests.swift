import SoundTrigger
import SoundWire

/// What commands ask the running daemon, with failures that carry an exit code.
extension DaemonConnection {
  /// Sends a request and returns the reply; an error that the daemon replies with is thrown as a `DaemonRefusal`.
  ///
  /// `loadsSounds`: see `request`.
  func ask(_ line: String, loadsSounds: Bool = false) throws -> [UInt8] {
    if line.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
      throw Failure(.usage, "there is a line break in \(Excerpt.quoting(line))")
    }
    switch try request(line, loadsSounds: loadsSounds) {
    case .line(let bytes): return bytes
    case .refused(let refusal): throw refusal
    }
  }

  /// Asks for a message, or an array of messages. Fails as `Failure.reading` does.
  func ask<Answer: WireValue>(_ line: String, for type: Answer.Type = Answer.self) throws -> Answer {
    try Failure.reading(try ask(line))
  }

  /// Asks for the daemon's status.
  func status() throws -> StatusMessage {
    let status = try ask("status", for: StatusMessage.self)
    compareVersion(status.version)
    return status
  }

  /// What `text` says of how loud everything (`nil`) or a trigger is. Adds that soundd is muted as a whole, because then the
  /// trigger is not heard either.
  func state(of trigger: String?, _ text: (LevelMembers, StatusMessage) -> String) throws -> String {
    let status = try status()
    guard let trigger else { return text(status.level, status) }
    if let found = status.triggers.first(where: { $0.name == trigger }) {
      return text(found.level, status) + (status.level.isMuted ? "; soundd is \(status.level.mute())" : "")
    }
    let near = Suggestion.nearest(to: trigger, among: status.triggers.map(\.name))
    throw DaemonRefusal(.unknown, "there is no trigger \(Excerpt.quoting(trigger))\(Suggestion.question(near))")
  }

  /// Warns on standard error if the daemon is of another version than this command.
  ///
  /// Only commands that need the status anyway do this: for `set` it would be another round trip.
  func compareVersion(_ version: String?) {
    if version == Daemon.version { return }
    StandardStreams.show(
      "the daemon is \(StatusMessage.text(ofVersion: version)), this command is \(Daemon.version): restart the daemon "
        + "('systemctl --user restart soundd')", priority: 4)
  }
}

extension Failure {
  /// Reads a message, or an array of messages, that the daemon replied. Fails with `badData` if it is something else, or lacks a
  /// required member because the daemon is older.
  static func reading<Answer: WireValue>(
    _ reply: [UInt8], as type: Answer.Type = Answer.self
  ) throws(Failure) -> Answer {
    try reading(Answer.read, of: reply)
  }

  /// The same for what `read` reads.
  static func reading<Answer>(
    _ read: ([UInt8]) throws(MessageError) -> Answer, of reply: [UInt8]
  ) throws(Failure) -> Answer {
    do throws(MessageError) {
      return try read(reply)
    } catch .missing(let member) {
      throw Failure(.badData, "the daemon is older, its answer has no '\(member)': systemctl --user restart soundd")
    } catch {
      throw Failure(.badData, "the daemon's answer is not understood: \(error)")
    }
  }
}

extension StatusMessage {
  /// For people.
  var daemonVersion: String { Self.text(ofVersion: version) }

  static func text(ofVersion version: String?) -> String {
    version.map { "version \(Excerpt.escaping($0))" } ?? "an older version"
  }
}
