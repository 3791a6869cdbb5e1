import ArgumentParser
import SoundTrigger
import SoundWire

/// `soundd stop`: ends sounds by hand.
struct StopCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Fade out the sounds of a trigger, or all sounds but alarms.",
    discussion: """
      An alarm that is stopped by its name or with --all is acknowledged.
      Without a name alarms ring on, and the command prints which do.
      An empty TRIGGER, such as that of an unset variable, is an error
      and stops nothing.
      """)

  @Argument(help: "The trigger's name, as 'soundd status' shows it (default: every trigger that is no alarm).")
  var trigger: String?
  @Flag(help: "Also stop and acknowledge all alarms.")
  var all = false
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    if let trigger, trigger.allSatisfy(\.isWhitespace) {
      throw ValidationError(
        "the trigger's name is empty; give a name, or none at all to stop all sounds but alarms")
    }
    if all, trigger != nil { throw ValidationError("--all stops everything: leave out the trigger's name") }
  }

  func run() throws {
    let client = try daemon.connect()
    // Of these, what is stopped is acknowledged.
    let before = try client.ask("alarms", for: [AlarmMessage].self)
    _ = try client.ask(all ? "stop --all" : trigger.map { "stop \($0)" } ?? "stop")
    if !all, trigger == nil {
      let ringing = before.filter { $0.state == .active || $0.state == .latched }
      if ringing.isEmpty { return }
      return try StandardStreams.print(
        "still ringing: \(Self.names(ringing)) (soundd ack; or soundd stop --all)")
    }
    let stopped = before.filter { all || $0.name == trigger || $0.name.ruleName == trigger }
    let acknowledged = stopped.filter { $0.life != .normal && $0.life != .acknowledged }
    if !acknowledged.isEmpty { try StandardStreams.print("acknowledged: \(Self.names(acknowledged))") }
  }

  private static func names(_ alarms: [AlarmMessage]) -> String {
    alarms.map(\.name.shownName).joined(separator: ", ")
  }
}
