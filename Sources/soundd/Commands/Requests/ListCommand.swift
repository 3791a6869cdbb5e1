import ArgumentParser
import Glibc
import SoundTrigger
import SoundWire

/// `soundd list`: all values of the running daemon.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the values of the running daemon.",
    discussion: """
      Each value has a line; on a terminal, one of its width.
      Notes in parentheses say that a value is stale,
      that its command does not work, or what was refused.
      A line that begins with '#' says the same of a feed.
      Escapes such as '\\n' replace line breaks and what would act on a terminal.
      Programs should use --json.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(json: json, socket.connect) }

  /// A line for each value, then one for each feed with which something is wrong. `width`: see `Table`.
  static func text(_ values: [ValueMessage], _ status: FeedStatusMessage, width: Int?, now: Timestamp) -> String {
    var lines = ""
    for value in values {
      let content = value.value.map { Excerpt.escaping($0.text) } ?? "(none yet)"
      let problem = value.problem.map { "\(value.isStale ? "stale: " : "")\(Excerpt.escaping($0))" }
      let notes = [problem ?? (value.isStale ? "stale" : nil), value.refusals.sentence(now: now)].compactMap(\.self)
      let state = notes.isEmpty ? "" : "  (\(notes.joined(separator: "; ")))"
      let line = "\(value.name.shownName)=\(content)"
      lines += (width.map { TextWidth.truncate(line, to: max(1, $0 - state.count)) } ?? line) + state + "\n"
    }
    for (name, problem) in status.feedProblems(now: now) { lines += "# \(name): \(problem)\n" }
    return lines
  }

  /// Prints all values.
  static func run(json: Bool, _ connect: () throws -> DaemonConnection) throws {
    let client = try connect()
    let reply = try client.ask("list")
    let values: [ValueMessage] = try Failure.reading(reply)
    if json { return try StandardStreams.print(reply) }
    let status = try client.ask("status", for: FeedStatusMessage.self)
    client.compareVersion(status.version)
    let lines = text(values, status, width: Terminal.width, now: .now())
    if !StandardStreams.write(STDOUT_FILENO, Array(lines.utf8)) { throw StandardStreams.failure }
  }
}
