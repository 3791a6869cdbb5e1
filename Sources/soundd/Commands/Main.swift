import ArgumentParser
import CLinux
import Glibc

/// The program.
@main
enum Main {
  static func main() {
    clinux_guard_standard_descriptors()
    do {
      if let command = PlainCommand(Array(CommandLine.arguments.dropFirst())) { return try command.run() }
      var command = try Soundd.parseAsRoot()
      try command.run()
    } catch let error as any ExitError {
      StandardStreams.complain(error.description)
      Glibc.exit(error.exitCode.rawValue)
    } catch {
      let code = Soundd.exitCode(for: error)
      // Help and the version go to standard output, because the user asked for them.
      if code.isSuccess { Soundd.exit(withError: error) }
      var message = Soundd.fullMessage(for: error)
      if message.hasPrefix("Error: ") { message.removeFirst("Error: ".count) }
      // The usage follows below the first line.
      StandardStreams.write(STDERR_FILENO, Array("soundd: \(message)\n".utf8))
      Glibc.exit(code.rawValue)
    }
  }
}

/// The root of the command line: what `soundd --help` shows.
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
    version: Daemon.version,
    subcommands: [
      RunCommand.self, WatchCommand.self, SetCommand.self, GetCommand.self, ListCommand.self, PlayCommand.self,
      StopCommand.self, VolumeCommand.self, ProfileCommand.self, MuteCommand.self, UnmuteCommand.self,
      StatusCommand.self, EventsCommand.self, ExplainCommand.self, ReloadCommand.self, RenderCommand.self,
      CheckCommand.self, DoctorCommand.self,
    ])
}
