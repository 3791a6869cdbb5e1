import ArgumentParser
import Glibc
import SoundTrigger
import SoundWire

/// `soundd get`: one value of the running daemon.
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a value of the running daemon.",
    discussion: """
      A file or a pipe gets the content as it is.
      On a terminal, it prints control characters as escapes such as '\\n'.
      """)

  @Argument(help: "The value's name.")
  var name: String
  @Flag(help: "Print all that the daemon knows of the value, as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(name, json: json, socket.connect) }

  /// Prints a value; calls `connect` only if the name is a valid one.
  static func run(_ name: String, json: Bool, _ connect: () throws -> DaemonConnection) throws {
    if ValueName(name) == nil { throw Failure(noName: name) }
    let client = try connect()
    let reply: [UInt8]
    do {
      reply = try client.ask("get \(name)")
    } catch let refusal as DaemonRefusal where refusal.code == .unknown {
      guard let near = nearName(to: name, client) else { throw refusal }
      throw DaemonRefusal(.unknown, "there is no value '\(name)' (did you mean '\(near)'?)")
    }
    let report: ValueMessage = try Failure.reading(reply)
    if json { return try StandardStreams.print(reply) }
    let problem = report.problem.map { ": \(Excerpt.escaping($0))" }
    guard let value = report.value?.content else {
      let refusal = report.refusals.sentence(now: .now()).map { ": \($0)" }
      throw Failure(.noInput, "'\(name)' has no content yet\(problem ?? refusal ?? "")")
    }
    let refusal = report.refusals.time.flatMap { _ in report.refusals.sentence(now: .now()) }.map { ": \($0)" }
    if let problem = problem ?? refusal {
      StandardStreams.show("'\(name)' keeps its last content\(problem)", priority: 4)
    }
    try StandardStreams.print(
      isatty(STDOUT_FILENO) == 1 ? Array(Excerpt.escaping(String(decoding: value, as: UTF8.self)).utf8) : value)
  }

  /// The value that may be meant by a name that the daemon does not know. The command compares the names, because the daemon
  /// has other clients.
  private static func nearName(to name: String, _ client: DaemonConnection) -> String? {
    guard let values = try? client.ask("list", for: [ValueMessage].self) else { return nil }
    let names = values.map(\.name)
    return names.contains(name) ? nil : Suggestion.nearest(to: name, among: names)
  }
}
