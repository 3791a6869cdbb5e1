import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd alarms`: the alarms that are not normal.
struct AlarmsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarms", abstract: "List the alarms that are not normal, or ring one as a test.",
    discussion: """
      An alarm is a trigger with loop.
      The most important ones come first.
      STATE is pending, active, latched or acknowledged.
      It is snoozed or suppressed instead if something silences the alarm;
      WHY says what.
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
    if let tested {
      _ = try client.ask("alarms --test \(tested)", loadsSounds: true)
      return try StandardStreams.print("'\(tested)' rings for 5 s")
    }
    let reply = try client.ask(all ? "alarms --all" : "alarms")
    if json { return try StandardStreams.print(reply) }
    let alarms = try JSONObject.array(reply: reply)
    if alarms.isEmpty {
      return try StandardStreams.print(all ? "there are no alarms: no trigger has loop" : "every alarm is normal")
    }
    try StandardStreams.print(AlarmTable.text(alarms, inColour: Colour.isWanted, width: Terminal.width))
  }
}

/// Alarms for people.
enum AlarmTable {
  static func text(_ alarms: [JSONObject], inColour: Bool, width: Int?, now: Timestamp = .now()) -> String {
    let rows = alarms.map { alarm in
      ["name", "state"].map(alarm.shown) + ["since", "until"].map { time(alarm, $0, now) }
        + ["value", "why"].map(alarm.shown)
    }
    let lines = Table(rows: [["ALARM", "STATE", "SINCE", "UNTIL", "VALUE", "WHY"]] + rows, dropping: [4, 3, 5, 2])
      .lines(width: width)
    let painted = zip(lines.dropFirst(), alarms).flatMap { lines, alarm in
      lines.map { colour(of: alarm.shown("state")).paint($0, if: inColour) }
    }
    return (lines[0] + painted).joined(separator: "\n")
  }

  static func colour(of state: String) -> Colour? {
    switch state {
    case "active", "latched": .red
    case "normal": nil
    default: .yellow
    }
  }

  /// `active since 14:05:11`, `snoozed until 14:20:00 (active)`.
  static func sentence(_ alarm: JSONObject, now: Timestamp) -> String {
    let state = alarm.shown("state")
    let since = alarm["since"] == nil ? "" : " since \(time(alarm, "since", now))"
    let until = alarm["until"] == nil ? "" : " until \(time(alarm, "until", now))"
    let why = alarm["why"] == nil || state == "snoozed" ? "" : ": \(alarm.shown("why"))"
    return state == alarm.shown("life")
      ? "\(state)\(since)\(until)\(why)" : "\(state)\(until)\(why) (\(alarm.shown("life"))\(since))"
  }

  private static func time(_ alarm: JSONObject, _ member: String, _ now: Timestamp) -> String {
    alarm.text(member).map { Table.localTime($0, now: now) } ?? "-"
  }
}

/// `soundd ack`: silences alarms until their conditions begin anew.
struct AckCommand: ParsableCommand {
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

  func validate() throws { try AlarmNames.check(triggers) }

  func run() throws {
    let client = try daemon.connect()
    var acknowledged: [String] = []
    for alarm in try AlarmNames.alarms(triggers, client) where alarm.text("life") != "normal" {
      let since = triggers.isEmpty ? alarm.text("since").map { "since=\($0) " } ?? "" : ""
      _ = try client.ask("ack \(since)\(alarm.text("name") ?? "")")
      acknowledged.append(alarm.shown("name"))
    }
    try StandardStreams.print(
      acknowledged.isEmpty ? "nothing to acknowledge" : "acknowledged: \(acknowledged.joined(separator: ", "))")
  }
}

/// `soundd snooze`: silences alarms for a time.
struct SnoozeCommand: ParsableCommand {
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
  @Option(
    name: .customLong("for"), help: ArgumentHelp("How long: at most 24 h (default: 10 min).", valueName: "duration"))
  var time: String?
  @OptionGroup var daemon: HookOptions

  func validate() throws { try AlarmNames.check(triggers) }

  func run() throws {
    // The request has the time in one word.
    let time = (time ?? "10min").filter { $0 != " " }
    do throws(RequestRefusal) { _ = try Request(Array("snooze for=\(time)".utf8).span) } catch {
      throw Failure(
        .usage, "--for: expected a time of at most 24 h, such as \"10 min\", found \(Excerpt.quoting(self.time ?? ""))")
    }
    let client = try daemon.connect()
    var names: [String] = []
    for alarm in try AlarmNames.alarms(triggers, client) {
      _ = try client.ask("snooze for=\(time) \(alarm.text("name") ?? "")")
      names.append(alarm.shown("name"))
    }
    let end = Timestamp(of: EventLoop.clock().advanced(by: DurationText.duration(time) ?? .zero)).localTime(at: .now())
    try StandardStreams.print(
      names.isEmpty ? "no alarm sounds: nothing to snooze" : "snoozed until \(end): \(names.joined(separator: ", "))")
  }
}

/// `soundd unsnooze`: ends snoozes.
struct UnsnoozeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsnooze", abstract: "End the snooze of alarms: they sound at once if their conditions hold.")

  @Argument(help: ArgumentHelp("The alarms' names.", valueName: "trigger"))
  var triggers: [String]
  @OptionGroup var daemon: HookOptions

  func validate() throws { try AlarmNames.check(triggers) }

  func run() throws {
    let client = try daemon.connect()
    for name in triggers { _ = try client.ask("unsnooze \(name)") }
  }
}

/// The alarms that a command is about.
private enum AlarmNames {
  static func check(_ names: [String]) throws {
    // Such as a variable that is not set: it must not stand for all.
    if names.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("<trigger> is empty")
    }
  }

  /// The named ones, or without names those that sound and have been heard. A name that no trigger has is a failure, and so is one
  /// of a trigger that is no alarm: the daemon says which.
  static func alarms(_ names: [String], _ client: DaemonConnection) throws -> [JSONObject] {
    let alarms = try JSONObject.array(reply: try client.ask("alarms --all"))
    if names.isEmpty {
      return alarms.filter { ["active", "latched"].contains($0.text("life")) && $0.text("heard") == "true" }
    }
    return try names.map { name in
      if let alarm = alarms.first(where: { $0.text("name") == name }) { return alarm }
      // Nothing happens to an unknown name, and the reply says what is wrong with it.
      _ = try client.ask("snooze for=1s \(name)")
      throw DaemonRefusal(.unknown, "there is no alarm \(Excerpt.quoting(name))")
    }
  }
}
