import SoundTrigger
import SoundWire

/// What the triggers make of values that this command sets: what `set -v` prints.
struct SetVerdicts {
  /// How long a change that waits is followed.
  private static let patience = Duration.seconds(5)
  private let client: DaemonConnection
  private let names: [String]
  /// When each value changed, as the daemon writes it.
  private var times: [String: Timestamp] = [:]
  /// The last verdict on each change, in the order of their first.
  private var verdicts: [VerdictEvent] = []

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
        take(try Failure.reading(Event.init, of: reply), isFirst: true)
      }
    }
    throw DaemonConnection.Problem.closed(path: client.path, said: errors.last)
  }

  /// Prints a line for each verdict, as soon as it is decided or turns out to wait for long, and for each value that nothing
  /// plays for.
  mutating func print() throws {
    for name in names where !verdicts.contains(where: { $0.judged.value == name }) {
      if times[name] == nil {
        try StandardStreams.print("\(name): no change, its content stays as it is")
      } else if times.keys.allSatisfy(names.contains) {
        try StandardStreams.print("\(name): changed, and no trigger plays for it")
      }
    }
    let end = EventLoop.clock().advanced(by: Self.patience)
    var isOver = false
    while !verdicts.isEmpty {
      var open: [VerdictEvent] = []
      for event in verdicts {
        if isOver || Self.isSettled(event) { try Self.print(event) } else { open.append(event) }
      }
      verdicts = open
      if verdicts.isEmpty { return }
      if let line = try nextLine(until: end) { take(try Failure.reading(Event.init, of: line)) } else { isOver = true }
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
  private mutating func take(_ event: Event, isFirst: Bool = false) {
    switch event.content {
    case .change(let change) where isFirst:
      guard let time = event.at else { return }
      // What changes in the same instant is derived from it, or another client set it just then.
      if names.contains(change.name) || times.values.contains(time) { times[change.name] = time }
    case .verdict(let verdict):
      if let known = verdicts.firstIndex(where: { $0.id == verdict.id }) {
        verdicts[known] = verdict
      } else if isFirst, times[verdict.judged.value] != nil {
        verdicts.append(verdict)
      }
    default: return
    }
  }

  /// Whether no other verdict follows soon.
  private static func isSettled(_ verdict: VerdictEvent) -> Bool {
    if verdict.judged.verdict.kind?.meaning != .open { return true }
    guard let until = verdict.until else { return false }
    return until.seconds > Timestamp.now().seconds + patience.components.seconds
  }

  private static func print(_ verdict: VerdictEvent) throws {
    let until = verdict.until.map { ", until \($0.localTime(at: .now()))" } ?? ""
    let line = "\(verdict.trigger.shownName): \(verdict.text)\(until)"
    try StandardStreams.print(Colour.of(verdict.judged.verdict).paint(line, if: Colour.isWanted))
  }
}
