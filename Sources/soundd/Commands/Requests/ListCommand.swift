import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd list`: all values of the running daemon.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the values of the running daemon.",
    discussion: """
      Each value has a line; on a terminal, one of its width.
      Escapes such as '\\n' replace line breaks and what would act on a terminal.
      Programs should use --json.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(json: json, socket.connect) }

  /// Prints all values.
  static func run(json: Bool, _ connect: () throws -> DaemonConnection) throws {
    let reply = try connect().ask("list")
    let values = try JSONObject.array(reply: reply)
    if json { return try StandardStreams.print(reply) }
    let width = Terminal.width
    var lines = ""
    for value in values {
      let content = value["value"] == nil ? "(none yet)" : value.shown("value")
      let isStale = value.text("stale") == "true"
      let problem = value["problem"] == nil ? "" : "  (\(isStale ? "stale: " : "")\(value.shown("problem")))"
      let state = !problem.isEmpty ? problem : isStale ? "  (stale)" : ""
      let line = "\(value.shown("name"))=\(content)"
      lines += (width.map { TextWidth.truncate(line, to: max(1, $0 - state.count)) } ?? line) + state + "\n"
    }
    if !StandardStreams.write(STDOUT_FILENO, Array(lines.utf8)) { throw StandardStreams.failure }
  }
}
