import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd set`: values for the running daemon.
struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set values in the running daemon.",
    discussion: """
      Several values change together, in one transaction. With '-', lines from standard input are sent as they are, one \
      after the other. Returns once the daemon has decided what to play.
      """)

  @Argument(help: ArgumentHelp("NAME=VALUE …, or '-' for lines from standard input.", valueName: "name=value"))
  var assignments: [String]
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.send(assignments, socket.connect) }

  /// Carries out `set NAME=VALUE …` without parsing the command line, if it has no option; returns whether it did.
  ///
  /// Scripts call it in loops, and the parser takes longer than all the rest.
  static func runIfPlain(_ arguments: [String]) throws(Failure) -> Bool {
    let assignments = arguments.dropFirst()
    guard arguments.first == "set", !assignments.isEmpty, !assignments.contains(where: { $0.hasPrefix("-") }) else {
      return false
    }
    try send(Array(assignments)) { () throws(Failure) in try SocketOptions.connect(option: nil) }
    return true
  }

  private static func send(_ assignments: [String], _ connect: () throws(Failure) -> Client) throws(Failure) {
    let line = assignments == ["-"] ? nil : try Self.line(assignments)
    let client = try connect()
    let errors: [String]
    do throws(Client.Problem) {
      if let line { try client.send(line: line) } else { try sendInput(client) }
      errors = try client.sync()
    } catch {
      throw Failure(error)
    }
    if errors.isEmpty { return }
    // The lines of standard input have numbers; a command line has none.
    throw Failure(.refused, (line == nil ? errors : errors.map(Client.withoutLine)).joined(separator: "\n"))
  }

  private static func sendInput(_ client: Client) throws(Client.Problem) {
    var block = [UInt8](repeating: 0, count: 65_536)
    var endsWithNewline = true
    while true {
      let count = read(STDIN_FILENO, &block, block.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .system(SystemError("read", "standard input")) }
      if count == 0 { break }
      endsWithNewline = block[count - 1] == UInt8(ascii: "\n")
      try client.send(block.span.extracting(0..<count))
    }
    if !endsWithNewline { try client.send(line: "") }
  }

  /// One line for all assignments: a single one as it is, several as a JSON object.
  static func line(_ assignments: [String]) throws(Failure) -> String {
    var members: [(name: String, value: String)] = []
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "=") else {
        throw Failure(.usage, "'\(assignment)' is not NAME=VALUE")
      }
      let name = String(assignment[..<equals])
      guard ValueName(name) != nil else {
        throw Failure(.usage, "'\(name)' is not a name: letters, digits and _ . / : - , and a letter, digit or _ first")
      }
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
}
