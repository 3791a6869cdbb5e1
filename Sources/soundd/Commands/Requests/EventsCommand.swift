import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd events`: what happens in the running daemon, as it happens.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Follow the changes of values and the sounds that they cause.",
    usage: "soundd events [<options>] [<name> ...]",
    discussion: """
      Prints a JSON object for each event, one a line, as soon as it happens.
      Its 'event' is one of these:

        change   a value changed, from 'old' to 'new' ('old' is null if it had none)
        play     a device accepted a sound, or soundd refused it; see 'verdict'
        stop     a sound is over; 'reason' says why

      With names, it prints only the events of these values; they need not exist yet.

      With --state, it first prints what is:

        value    a value, as 'soundd get --json' prints it;
                 again if it loses its content without a change
        trigger  a trigger, as 'soundd status --json' prints it
        ready    the state is complete; what happens from here on follows

      With --why, it also prints each verdict of a trigger on a change:

        verdict  the members are those of 'soundd explain --json';
                 a change that waits has another one when it is decided

      With --pretty, each event is a line for people instead.

      It continues until you interrupt it or the daemon ends.
      """)

  @Argument(help: "The names of values (default: all).")
  var names: [String] = []
  @Flag(help: "First print the complete state.")
  var state = false
  @Flag(help: "Also print why each change played or not.")
  var why = false
  @Flag(help: "Print lines for people, with local times.")
  var pretty = false
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    for name in names where ValueName(name) == nil { throw ValidationError(Failure(noName: name).description) }
  }

  /// The same lines for people.
  private static func pretty(_ lines: [UInt8]) -> [UInt8] {
    let (now, inColour) = (Timestamp.now(), Colour.isWanted)
    return lines.split(separator: UInt8(ascii: "\n")).flatMap { line in
      Array("\(EventLine.text(Array(line), inColour: inColour, now: now))\n".utf8)
    }
  }

  func run() throws {
    let client = try socket.connect()
    let reply = try client.ask(
      (["events"] + (state ? ["--state"] : []) + (why ? ["--why"] : []) + names).joined(separator: " "))
    if reply != Array("ok".utf8) {
      throw DaemonConnection.Problem.notUnderstood(path: client.path, said: String(decoding: reply, as: UTF8.self))
    }
    while let lines = try client.readLines(whileRead: STDOUT_FILENO) {
      if lines.isEmpty {
        // The same end as that of a write to a reader that is gone.
        raise(SIGPIPE)
        throw Failure(.inputOutput, "the reader of standard output is gone")
      }
      if !StandardStreams.write(STDOUT_FILENO, pretty ? Self.pretty(lines) : lines) { throw StandardStreams.failure }
    }
    throw Failure(
      .unavailable,
      "soundd on \(client.path) ended the connection: it has ended, or this command did not read fast enough")
  }
}
