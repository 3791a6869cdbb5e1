import SoundTrigger

/// What the triggers make of values that this command sets: what `set -v` prints.
struct SetVerdicts {
  /// How long a change that waits is followed.
  private static let patience = Duration.seconds(5)
  /// The verdicts that another one follows.
  private static let undecided: Set<String> = ["starting", "waiting", "delayed", "queued"]

  private let client: DaemonConnection
  private let names: [String]
  /// When each value changed, as the daemon writes it.
  private var times: [String: String] = [:]
  /// The last verdict of each trigger on each value, in the order of their first.
  private var verdicts: [JSONObject] = []

  /// Follows the verdicts on this connection from now on.
  init(of names: [String], _ client: DaemonConnection) throws {
    self.client = client
    self.names = names
    _ = try client.ask("events --why")
  }

  /// Sends the line that sets the values. Returns why it was refused, if it was.
  mutating func send(_ line: String) throws -> [DaemonRefusal] {
    try client.send(line: line + "\nsync")
    var errors: [DaemonRefusal] = []
    while let reply = try client.readLine() {
      if reply == Array("ok".utf8) { return errors }
      if let refusal = DaemonRefusal(reply: reply) {
        errors.append(refusal)
      } else {
        take(try JSONObject(reply: reply), isFirst: true)
      }
    }
    throw DaemonConnection.Problem.closed(path: client.path, said: errors.last)
  }

  /// Prints a line for each verdict, as soon as it is decided or turns out to wait for long, and for each value that nothing
  /// plays for.
  mutating func print() throws {
    for name in names where !verdicts.contains(where: { $0.text("value") == name }) {
      if times[name] == nil {
        try StandardStreams.print("\(name): no change, its content stays as it is")
      } else if times.keys.allSatisfy(names.contains) {
        try StandardStreams.print("\(name): changed, and no trigger plays for it")
      }
    }
    let end = EventLoop.clock().advanced(by: Self.patience)
    var isOver = false
    while !verdicts.isEmpty {
      var open: [JSONObject] = []
      for event in verdicts {
        if isOver || Self.isSettled(event) { try Self.print(event) } else { open.append(event) }
      }
      verdicts = open
      if verdicts.isEmpty { return }
      if let line = try nextLine(until: end) { take(try JSONObject(reply: line)) } else { isOver = true }
    }
  }

  /// The next line; `nil` if none comes until then.
  private func nextLine(until end: Instant) throws -> [UInt8]? {
    let rest = EventLoop.clock().duration(to: end)
    if rest <= .zero { return nil }
    let line: [UInt8]?
    do throws(DaemonConnection.Problem) {
      line = try client.readLine(within: rest)
    } catch .timedOut {
      return nil
    }
    guard let line else { throw DaemonConnection.Problem.closed(path: client.path, said: nil) }
    return line
  }

  /// Takes an event. After the first ones only the verdicts count that are still open.
  private mutating func take(_ event: JSONObject, isFirst: Bool = false) {
    switch event.text("event") {
    case "change" where isFirst:
      guard let name = event.text("name"), let time = event.text("at") else { return }
      // What changes in the same instant is derived from it, or another client set it just then.
      if names.contains(name) || times.values.contains(time) { times[name] = time }
    case "verdict":
      let known = verdicts.firstIndex { old in
        ["trigger", "value"].allSatisfy { old.text($0) == event.text($0) }
      }
      if let known {
        verdicts[known] = event
      } else if isFirst, times[event.text("value") ?? ""] != nil {
        verdicts.append(event)
      }
    default: return
    }
  }

  /// Whether no other verdict follows soon.
  private static func isSettled(_ event: JSONObject) -> Bool {
    if !undecided.contains(event.shown("verdict")) { return true }
    guard let until = event.text("until").flatMap({ Timestamp($0) }) else { return false }
    return until.seconds > Timestamp.now().seconds + patience.components.seconds
  }

  private static func print(_ event: JSONObject) throws {
    let until = event.text("until").map { ", until \(Table.localTime($0, now: .now()))" } ?? ""
    let line = "\(event.shownName("trigger")): \(EventLine.verdict(event))\(until)"
    try StandardStreams.print(Colour.of(verdict: event.shown("verdict")).paint(line, if: Colour.isWanted))
  }
}
