import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd set`: values for the running daemon.
struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set values in the running daemon.",
    discussion: """
      Several values change together, in one transaction.
      The command returns when the daemon has decided what to play.

      'set -' sends each line of standard input as soon as it comes: NAME=VALUE or a JSON object.
      It accepts only values, never commands.
      It names refused lines on standard error, applies the others, and exits with 77 at the end.
      If the daemon ends, 'set -' exits at once with 69; to wait for the next daemon, run it in a loop.
      """)

  @Argument(help: ArgumentHelp("NAME=VALUE …, or '-' for lines from standard input.", valueName: "name=value"))
  var assignments: [String]
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(assignments, socket.connect) }

  /// Sets values; calls `connect` only if the assignments are valid.
  static func run(_ assignments: [String], _ connect: () throws -> DaemonConnection) throws {
    if assignments == ["-"] { return try sendInput(try connect()) }
    let line = try line(assignments)
    let client = try connect()
    let errors = try client.sync(after: line)
    if errors.isEmpty { return }
    throw Failure(.refused, errors.map(DaemonConnection.withoutLine).joined(separator: "\n"))
  }

  /// One line for all assignments: a single one as it is, several as a JSON object.
  static func line(_ assignments: [String]) throws(Failure) -> String {
    var members: [(name: String, value: String)] = []
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "=") else {
        throw Failure(.usage, "\(Excerpt.quoting(assignment)) is not NAME=VALUE")
      }
      let name = String(assignment[..<equals])
      if ValueName(name) == nil { throw Failure(.usage, "\(RequestError.badName(name))") }
      members.append((name, String(assignment[assignment.index(after: equals)...])))
    }
    // A line break would end the line; in JSON it is an escape.
    if members.count == 1, !assignments[0].utf8.contains(where: { $0 == 10 || $0 == 13 }) { return assignments[0] }
    let object = JSONWriter.object { writer in
      for (name, value) in members { writer.member(name, value) }
    }
    return String(decoding: object, as: UTF8.self)
  }

  // MARK: Standard input

  private static func sendInput(_ client: DaemonConnection) throws {
    var lines = AssignmentLines()
    var refused = 0
    func complain(_ text: String) {
      refused += 1
      StandardStreams.complain(text)
    }
    func refuse(_ number: Int, _ reason: String) { complain("line \(number): \(reason)") }
    var buffer = [UInt8](repeating: 0, count: 262_144)
    var count = 1
    var inputProblem: SystemError?
    do throws(DaemonConnection.Problem) {
      while count != 0, inputProblem == nil {
        let (hasInput, hasReply) = client.wait(forInput: STDIN_FILENO)
        if hasReply { try client.takeErrors(complain) }
        if !hasInput { continue }
        count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno != EINTR, errno != EAGAIN { inputProblem = SystemError("read", "standard input") }
        let passed =
          count == 0
          ? lines.take(nil, refuse: refuse)
          : lines.take(buffer.span.extracting(0..<max(0, count)), refuse: refuse)
        try client.send(passed.span)
      }
      // What was sent counts, even if the rest could not be read.
      try client.sync(complain)
    } catch .closed(let path, let said) {
      let sent = "; of the \(lines.count) lines that were sent, the last ones may be lost"
      throw Failure(.unavailable, "\(DaemonConnection.Problem.closed(path: path, said: said))\(sent)")
    }
    if let inputProblem { throw Failure(.inputOutput, "\(inputProblem)") }
    if refused > 0 { throw Failure(.refused, "\(refused) of \(lines.count) lines were refused") }
  }
}
