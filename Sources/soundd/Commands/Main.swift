import ArgumentParser
import CLinux
import Glibc
import SoundTrigger
import SoundWire

/// The program.
@main
enum Main {
  static func main() {
    clinux_guard_standard_descriptors()
    do {
      // Swift reads the arguments from /proc/self/cmdline.
      if CommandLine.arguments.isEmpty {
        throw Failure(.inputOutput, "cannot read the command line: /proc is missing (mount -t proc proc /proc)")
      }
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == DecodingCell.command { DecodingCell.run(Array(arguments.dropFirst())) }
      if let command = PlainCommand(arguments) { return try command.run() }
      if arguments.first == Completion.command { return try Completion.run(Array(arguments.dropFirst())) }
      var command = try Soundd.command(arguments)
      do {
        try command.run()
      } catch let error where (command as? any HookCommand)?.daemon.allows(error) == true {}
      leave(0)
    } catch let error as any ExitFailure {
      StandardStreams.show(error.description)
      leave(error.exitCode.rawValue)
    } catch {
      let code = Soundd.exitCode(for: error)
      var message = Soundd.fullMessage(for: error)
      if code.isSuccess { printHelp(message) }
      if message.hasPrefix("Error: ") { message.removeFirst("Error: ".count) }
      // The usage follows below the first line.
      StandardStreams.write(STDERR_FILENO, Array("soundd: \(message)\n".utf8))
      Glibc.exit(code.rawValue)
    }
  }

  /// Ends the process. If a call to a device has not returned, what libraries tear down in `exit` may be in use.
  private static func leave(_ code: Int32) -> Never {
    if BoundedCall.isAnyLeftBehind { _exit(code) }
    Glibc.exit(code)
  }

  /// Help and the version go to standard output, because the user asked for them.
  private static func printHelp(_ text: String) -> Never {
    do throws(Failure) {
      if !text.isEmpty { try StandardStreams.print(text) }
      Glibc.exit(0)
    } catch {
      StandardStreams.show(error.description)
      Glibc.exit(error.exitCode.rawValue)
    }
  }
}

/// The root of the command line: what `soundd --help` shows, in the groups and the order of soundd(1).
struct Soundd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soundd",
    abstract: "Plays sounds whenever watched values change.",
    discussion: """
      Values come from files, from standard input and from a Unix socket.
      A configuration file says which changes play which sounds.
      Without a configuration, 'soundd watch' watches a single value:

        soundd watch error --file build-status --to failed
      """,
    groupedSubcommands: [
      CommandGroup(name: "Start", subcommands: [RunCommand.self, ReloadCommand.self]),
      CommandGroup(
        name: "Values",
        subcommands: [
          SetCommand.self, GetCommand.self, ListCommand.self, UnsetCommand.self, EventsCommand.self,
        ]),
      CommandGroup(
        name: "Sounds",
        subcommands: [
          PlayCommand.self, StopCommand.self, MuteCommand.self, UnmuteCommand.self, VolumeCommand.self,
          ProfileCommand.self,
        ]),
      CommandGroup(
        name: "Alarms",
        subcommands: [AlarmsCommand.self, AckCommand.self, SnoozeCommand.self, UnsnoozeCommand.self]),
      CommandGroup(
        name: "Look",
        subcommands: [
          StatusCommand.self, MonitorCommand.self, ExplainCommand.self, ReportCommand.self, SoundsCommand.self,
          DevicesCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Try",
        subcommands: [
          CheckCommand.self, InitCommand.self, RecipesCommand.self, AddCommand.self, RemoveCommand.self,
          RenderCommand.self, WatchCommand.self,
        ]),
    ])

  @Flag(name: [.customShort("V"), .customLong("version")], help: "Show the version.")
  var showsVersion = false

  func validate() throws {
    if showsVersion { throw CleanExit.message(Daemon.version) }
  }

  /// The command that a command line names, before it runs.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    // Not as an option: commands have a -v of their own.
    if arguments == ["-v"] { return try command(["--version"]) }
    try checkCommand(arguments)
    do {
      return try parseAsRoot(arguments)
    } catch {
      if exitCode(for: error).isSuccess { throw error }
      // The parser names a missing argument before an unknown option. With an argument it names the option.
      do {
        _ = try parseAsRoot(arguments + ["-"])
      } catch let other where message(for: other).hasPrefix("Unknown option") {
        throw other
      } catch {}
      throw error
    }
  }

  /// Refuses a command that there is not; the parser takes its name for an argument, and 'help' ignores it.
  private static func checkCommand(_ arguments: [String]) throws(Failure) {
    let isHelp = arguments.first == "help"
    guard let word = arguments.dropFirst(isHelp ? 1 : 0).first, !word.hasPrefix("-") else { return }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    if !names.contains(word) {
      let customary = ["start": "run", "version": "--version"]
      let near = Suggestion.question(customary[word] ?? Suggestion.nearest(to: word, among: names))
      throw Failure(.usage, "there is no command \(Excerpt.quoting(word))\(near); 'soundd help' lists the commands")
    }
    if isHelp, arguments.count > 2 { throw Failure(.usage, "'soundd help' explains one command: soundd help \(word)") }
  }
}
