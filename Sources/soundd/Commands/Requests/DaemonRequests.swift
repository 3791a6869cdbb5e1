import SoundTrigger

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

  /// Asks for the daemon's status.
  func status() throws -> JSONObject {
    let status = try JSONObject(reply: try ask("status"))
    compareVersion(status)
    return status
  }

  /// What `text` says of the status of everything (`nil`) or of a trigger: both have `volume`, `muted` and `muted_until`. Adds
  /// that soundd is muted as a whole, because then the trigger is not heard either.
  func state(of trigger: String?, _ text: (JSONObject) throws -> String) throws -> String {
    let status = try status()
    guard let trigger else { return try text(status) }
    let triggers = try JSONObject.array(reply: status["triggers"])
    if let found = triggers.first(where: { $0.text("name") == trigger }) {
      return try text(found) + (status.isMuted ? "; soundd is \(status.mute())" : "")
    }
    let near = Suggestion.nearest(to: trigger, among: triggers.compactMap { $0.text("name") })
    throw DaemonRefusal(.unknown, "there is no trigger \(Excerpt.quoting(trigger))\(Suggestion.question(near))")
  }

  /// Warns on standard error if the daemon is of another version than this command.
  ///
  /// Only commands that need the status anyway do this: for `set` it would be another round trip.
  func compareVersion(_ status: JSONObject) {
    if status.text("version") == Daemon.version { return }
    StandardStreams.show(
      "the daemon is \(status.daemonVersion), this command is \(Daemon.version): restart the daemon "
        + "('systemctl --user restart soundd')", priority: 4)
  }
}

extension JSONObject {
  /// Of a status: the daemon's version, for people.
  var daemonVersion: String { self["version"] == nil ? "an older version" : "version \(shown("version"))" }

  /// Of a status or a trigger in it: whether it is muted.
  var isMuted: Bool { text("muted") == "true" }

  /// The same: its volume, a factor.
  var volume: Double? { text("volume").flatMap(Double.init) }

  /// The same: whether its volume is too low to be heard.
  var isInaudible: Bool { volume.map { !PlayLevel.isAudible($0) } ?? false }

  /// The same: whether it is muted, and until when.
  func mute(now: Timestamp = .now()) -> String {
    if !isMuted { return "not muted" }
    return "muted" + (text("muted_until").map { " until \(Table.localTime($0, now: now))" } ?? "")
  }

  /// What the daemon answered; anything but an object is a failure.
  init(reply: [UInt8]) throws(Failure) {
    do throws(JSONError) {
      try self.init(reply)
    } catch {
      throw Failure(.badData, "the daemon's answer is no JSON object: \(error)")
    }
  }

  /// The objects of an array that the daemon answered; none if it is missing.
  static func array(reply: [UInt8]?) throws(Failure) -> [JSONObject] {
    guard let reply else { return [] }
    do throws(JSONError) {
      return try array(reply)
    } catch {
      throw Failure(.badData, "the daemon's answer is no JSON array: \(error)")
    }
  }
}
