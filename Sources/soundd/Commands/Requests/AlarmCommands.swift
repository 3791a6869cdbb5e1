import ArgumentParser
import Glibc
import SoundTrigger
import SoundWire

/// `soundd alarms`: the alarms that are not normal, or snoozed.
struct AlarmsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarms", abstract: "List the alarms that are not normal or snoozed, or ring one as a test.",
    discussion: """
      An alarm is a trigger with loop.
      The most important ones come first.
      STATE is pending, active, latched or acknowledged.
      If something silences the alarm, STATE is snoozed or suppressed,
      with the alarm's life in parentheses; WHY says what.
      """)

  @Flag(help: "Also list the alarms that are normal.")
  var all = false
  @Option(
    name: .customLong("test"),
    help: ArgumentHelp("Ring this alarm for 5 s, without changing its life.", valueName: "trigger"))
  var tested: String?
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if tested != nil, all || json { throw ValidationError("--test lists nothing: leave out --all and --json") }
  }

  func run() throws {
    let client = try socket.connect()
    if let tested { return try test(tested, client) }
    let reply = try client.ask(all ? "alarms --all" : "alarms")
    // Without its configuration, an empty list is no good news.
    for warning in try client.status().warnings where warning.isAboutStart {
      StandardStreams.show(warning.message, priority: 4)
    }
    if json { return try StandardStreams.print(reply) }
    let alarms: [AlarmMessage] = try Failure.reading(reply)
    if alarms.isEmpty {
      return try StandardStreams.print(all ? "there are no alarms: no trigger has loop" : "every alarm is normal")
    }
    try StandardStreams.print(AlarmTable.text(alarms, inColour: Colour.isWanted, width: Terminal.width))
  }

  private func test(_ name: String, _ client: DaemonConnection) throws {
    _ = try client.ask("alarms --test \(name)", loadsSounds: true)
    try StandardStreams.print("'\(name)' rings for 5 s")
    let status = try client.status()
    let alarm = status.triggers.first { $0.name == name.ruleName }
    if let note = PlayCommand.reasonForSilence(status.level) ?? alarm.flatMap({ Self.reasonForSilence(name, $0.level) })
    {
      StandardStreams.show(note, priority: 5)
    }
  }

  /// Why the alarm itself would not be heard, although its test is; `nil` if it would.
  static func reasonForSilence(_ name: String, _ level: LevelMembers, now: Timestamp = .now()) -> String? {
    let option = Diagnosis.option(name)
    let beginning = "the test is heard, but the alarm would sound unheard:"
    if level.isMuted { return "\(beginning) it is \(level.mute(now: now)) ('soundd unmute \(option)')" }
    if !level.isInaudible { return nil }
    return "\(beginning) its volume is \(VolumeText.short(level.volume)) ('soundd volume \(option) 0dB')"
  }
}

/// `soundd ack`: silences alarms until their conditions begin anew.
struct AckCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack", abstract: "Acknowledge alarms.",
    discussion: """
      An acknowledged alarm is silent until its condition begins anew,
      or until its 'realarm' ends.
      Without a name all alarms are acknowledged that sound and have been heard.
      The command prints their names.
      """)

  @Argument(help: ArgumentHelp("The alarms' names (default: all that have been heard).", valueName: "trigger"))
  var triggers: [String] = []
  @OptionGroup var daemon: HookOptions

  func validate() throws { try AlarmOrders.check(triggers) }

  func run() throws {
    var orders = AlarmOrders(client: try daemon.connect())
    var acknowledged: [String] = []
    for alarm in try orders.alarms(triggers, "ack") where alarm.life != .normal {
      // What the user has not seen yet stays.
      let id = triggers.isEmpty ? alarm.id.map { "id=\($0) " } ?? "" : ""
      try orders.send("ack \(id)\(alarm.name)")
      acknowledged.append(alarm.name.shownName)
    }
    try StandardStreams.print(
      (acknowledged.isEmpty ? "nothing to acknowledge" : "acknowledged: \(acknowledged.joined(separator: ", "))")
        + (triggers.isEmpty || acknowledged.isEmpty ? try orders.silenced() : ""))
  }
}

/// `soundd snooze`: silences alarms for a time.
struct SnoozeCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Silence alarms for a time.",
    usage: "soundd snooze [<trigger> ...] [--for <duration>] [<options>]",
    discussion: """
      A snoozed alarm sounds again after the time, if its condition holds still.
      Without a name all alarms are snoozed that sound and have been heard.
      An alarm that is normal can be snoozed by its name, too.
      The command prints their names.
      """)

  @Argument(help: ArgumentHelp("The alarms' names (default: all that have been heard).", valueName: "trigger"))
  var triggers: [String] = []
  // A negative time must be refused as a time.
  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp("How long: at most 24 h (default: 10 min).", valueName: "duration"))
  var time: String?
  @OptionGroup var daemon: HookOptions

  func validate() throws { try AlarmOrders.check(triggers) }

  func run() throws {
    // The request has the time in one word.
    let time = (time ?? "10min").filter { $0 != " " }
    do throws(RequestRefusal) { _ = try Request(Array("snooze for=\(time)".utf8).span) } catch {
      throw Failure(
        .usage,
        "--for: expected a time of more than 0 and at most 24 h, such as \"10 min\", found "
          + Excerpt.quoting(self.time ?? "") + Suggestion.question(SnoozeTime.suggestion(for: self.time ?? "")))
    }
    var orders = AlarmOrders(client: try daemon.connect())
    var names: [String] = []
    for alarm in try orders.alarms(triggers, "snooze for=1s") {
      try orders.send("snooze for=\(time) \(alarm.name)")
      names.append(alarm.name.shownName)
    }
    let end = Timestamp(of: EventLoop.clock().advanced(by: DurationText.duration(time) ?? .zero)).localTime(at: .now())
    try StandardStreams.print(
      names.isEmpty ? "no alarm sounds: nothing to snooze" : "snoozed until \(end): \(names.joined(separator: ", "))")
  }
}

/// `soundd unsnooze`: ends snoozes.
struct UnsnoozeCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsnooze", abstract: "End the snooze of alarms: they sound at once if their conditions hold.")

  @Argument(help: ArgumentHelp("The alarms' names.", valueName: "trigger"))
  var triggers: [String]
  @OptionGroup var daemon: HookOptions

  func validate() throws { try AlarmOrders.check(triggers) }

  func run() throws {
    var orders = AlarmOrders(client: try daemon.connect())
    for name in triggers { try orders.send("unsnooze \(name)") }
  }
}

/// What a command tells the daemon about alarms.
private struct AlarmOrders {
  let client: DaemonConnection
  private var notes: Set<String> = []

  init(client: DaemonConnection) { self.client = client }

  static func check(_ names: [String]) throws {
    // Such as a variable that is not set: it must not stand for all.
    if names.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("<trigger> is empty")
    }
  }

  /// The named ones, each once, all members of a rule, or without names those that sound and have been heard. A name that no
  /// trigger has is a failure, and so is one of a trigger that is no alarm: the daemon says which, asked by the `request` without
  /// its name.
  func alarms(_ names: [String], _ request: String) throws -> [AlarmMessage] {
    let alarms = try client.ask("alarms --all", for: [AlarmMessage].self)
    if names.isEmpty {
      return alarms.filter { $0.life.kind?.sounds ?? false && $0.heard }
    }
    var known: Set<String> = []
    return try names.filter { known.insert($0).inserted }.flatMap { name in
      let own = alarms.filter { $0.name == name || $0.name.ruleName == name }
      // A rule may have no members. Nothing happens to an unknown name, and the reply says what is wrong with it.
      if own.isEmpty { _ = try client.ask("\(request) \(name)") }
      return own
    }
  }

  /// The alarms that a user may mean although they are not heard, for people.
  func silenced() throws -> String {
    let alarms = try client.ask("alarms", for: [AlarmMessage].self)
    let silent = alarms.filter { $0.state == .snoozed || $0.state == .suppressed }
    return silent.isEmpty
      ? "" : "; " + silent.map { "\($0.name.shownName) is \($0.state.text)" }.joined(separator: ", ")
  }

  /// Sends a request, and shows once what its reply notes.
  mutating func send(_ line: String) throws {
    if let note = Reply.note(in: try client.ask(line)), notes.insert(note).inserted {
      StandardStreams.show(note, priority: 4)
    }
  }
}
