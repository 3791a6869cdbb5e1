import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd set`: values for the running daemon.
struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set values in the running daemon.",
    discussion: """
      Several values change together, in one transaction. With '-', each line from standard input is sent as soon as it \
      is there: NAME=VALUE or a JSON object, but no command. Lines that are refused are named on standard error, and the \
      others go on; at the end the exit code is 77. Returns once the daemon has decided what to play.

      When the daemon goes away, 'set -' ends at once and does not wait for another one: put it in a loop for that.
      """)

  @Argument(help: ArgumentHelp("NAME=VALUE …, or '-' for lines from standard input.", valueName: "name=value"))
  var assignments: [String]
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(assignments, socket.connect) }

  /// Sets values; `connect` is called when the assignments are known to make sense.
  static func run(_ assignments: [String], _ connect: () throws(Failure) -> Client) throws(Failure) {
    if assignments == ["-"] { return try sendInput(try connect()) }
    let line = try line(assignments)
    let client = try connect()
    let errors: [String]
    do throws(Client.Problem) { errors = try client.sync(after: line) } catch { throw Failure(error) }
    if errors.isEmpty { return }
    throw Failure(.refused, errors.map(Client.withoutLine).joined(separator: "\n"))
  }

  /// One line for all assignments: a single one as it is, several as a JSON object.
  static func line(_ assignments: [String]) throws(Failure) -> String {
    var members: [(name: String, value: String)] = []
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "=") else {
        throw Failure(.usage, "'\(RequestError.excerpt(assignment))' is not NAME=VALUE")
      }
      let name = String(assignment[..<equals])
      if ValueName(name) == nil { throw Failure(.usage, "\(RequestError.badName(name))") }
      members.append((name, String(assignment[assignment.index(after: equals)...])))
    }
    // A line break would end the line; in JSON it is an escape.
    if members.count == 1, !assignments[0].utf8.contains(where: { $0 == 10 || $0 == 13 }) { return assignments[0] }
    var writer = ReportWriter()
    writer.object { writer in
      for (name, value) in members { writer.member(name, value) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  // MARK: Standard input

  private static func sendInput(_ client: Client) throws(Failure) {
    var lines = AssignmentLines()
    var refused = 0
    func complain(_ text: String) {
      refused += 1
      StandardStreams.complain(text)
    }
    do throws(Client.Problem) {
      var inputProblem: SystemError?
      while try pass(&lines, to: client, &inputProblem, complain) {}
      // What was sent counts, whatever became of the rest.
      try client.sync(complain)
      if let inputProblem { throw Client.Problem.system(inputProblem) }
    } catch .closed(let path, let said) {
      let sent = "; of the \(lines.count) lines that were sent, the last ones may be lost"
      throw Failure(.unavailable, "\(Client.Problem.closed(path: path, said: said))\(sent)")
    } catch {
      throw Failure(error)
    }
    if refused > 0 { throw Failure(.refused, "\(refused) of \(lines.count) lines were refused") }
  }

  /// Passes on what has come, or waits for something to come; returns false at the end of the input.
  private static func pass(
    _ lines: inout AssignmentLines, to client: Client, _ problem: inout SystemError?, _ complain: (String) -> Void
  ) throws(Client.Problem) -> Bool {
    let (hasInput, hasReply) = client.wait(forInput: STDIN_FILENO)
    if hasReply { try client.takeErrors(complain) }
    if !hasInput { return true }
    let count = try lines.take {
      read(STDIN_FILENO, $0.baseAddress, $0.count)
    } pass: { bytes throws(Client.Problem) in
      try client.send(bytes)
    } refuse: {
      complain("line \($0): \($1)")
    }
    if count < 0, errno != EINTR, errno != EAGAIN {
      problem = SystemError("read", "standard input")
      return false
    }
    return count != 0
  }
}
