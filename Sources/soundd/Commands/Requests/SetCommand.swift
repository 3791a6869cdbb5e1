import ArgumentParser
import Glibc
import SoundTrigger
import SoundWire

/// `soundd set`: values for the running daemon.
struct SetCommand: HookCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set values in the running daemon.",
    usage: """
      soundd set [<options>] <name=value> ...
             soundd set [<options>] -
             soundd set [<options>] --stdin <name>
      """,
    discussion: """
      Several values change together, in one transaction.
      The command returns when the daemon has decided what to play.

      With -v it prints what each trigger makes of the values.
      It follows a change that waits for up to 5 s.

      'set -' sends each line of standard input as soon as it comes:
      NAME=VALUE or a JSON object.
      It accepts only values, never commands.
      It reports each refused line on standard error and applies the others.
      If any was refused, it exits with 77 at the end.
      If the daemon ends, 'set -' exits at once with 69.
      To wait for the next daemon, run it in a loop.

      'set --stdin NAME' reads standard input to its end:
      all of it is the content of NAME, line breaks included.
      It must be UTF-8 and fit a line of the socket, with its name:
      at most 64 KiB, and less if it has line breaks,
      because then quotes need an escape, too.
      Otherwise nothing is set, and the exit code is 65.
      """)

  @Argument(help: ArgumentHelp("NAME=VALUE …, or '-' for lines from standard input.", valueName: "name=value"))
  var assignments: [String] = []
  @Option(
    name: .customLong("stdin"),
    help: ArgumentHelp("Set this one value to all of standard input.", valueName: "name"))
  var inputName: String?
  @Flag(name: .shortAndLong, help: "Wait for the verdicts of the triggers, and print them.")
  var verbose = false
  @OptionGroup var daemon: HookOptions

  func validate() throws {
    switch inputName {
    case let name? where ValueName(name) == nil: throw ValidationError("--stdin: \(Failure(noName: name))")
    case _? where !assignments.isEmpty: throw ValidationError("--stdin NAME and NAME=VALUE exclude each other")
    case nil where assignments.isEmpty: throw ValidationError("give NAME=VALUE, '-' or --stdin NAME")
    default: break
    }
    if verbose, assignments == ["-"] { throw ValidationError("-v needs NAME=VALUE; 'soundd events --why' follows all") }
  }

  func run() throws {
    guard let inputName else { return try Self.run(assignments, isVerbose: verbose, daemon.connect) }
    let line = try Self.line(inputName, Self.wholeInput())
    try Self.send(line, naming: [inputName], isVerbose: verbose, daemon.connect)
  }

  /// Sets values; calls `connect` only if the assignments are valid.
  static func run(_ assignments: [String], isVerbose: Bool = false, _ connect: () throws -> DaemonConnection) throws {
    if assignments == ["-"] { return try sendInput(try connect()) }
    let names = assignments.map { String($0.prefix { $0 != "=" }) }
    try send(try line(assignments), naming: names, isVerbose: isVerbose, connect)
  }

  private static func send(
    _ line: String, naming names: [String], isVerbose: Bool, _ connect: () throws -> DaemonConnection
  ) throws {
    let client = try connect()
    var verdicts = isVerbose ? try SetVerdicts(of: names, client) : nil
    let errors = try verdicts?.send(line) ?? client.sync(after: line)
    if let first = errors.first { throw Failure(first.exitCode, errors.map(\.text).joined(separator: "\n")) }
    try verdicts?.print()
    if verdicts == nil, isatty(STDERR_FILENO) != 0 { try warn(of: names, client) }
  }

  /// Says which names are probably misspelt, and which first contents were silent. A script need not wait for that.
  private static func warn(of names: [String], _ client: DaemonConnection) throws {
    let status = try client.status()
    for warning in status.warnings
    where warning.code?.kind == .misspelt && names.contains(where: { $0 == warning.value }) {
      StandardStreams.show("warning: \(warning.message)", priority: 4)
    }
    for name in names where try client.ask("get \(name)", for: ValueMessage.self).updates == 1 {
      let isSilent = status.triggers.contains { trigger in
        trigger.lastChange.map { $0.judged.value == name && $0.judged.verdict == .appeared } ?? false
      }
      if !isSilent { continue }
      StandardStreams.show(
        "'\(name)' begins with this content, which is no change: a trigger plays when it changes again (or with initial)",
        priority: 5)
    }
  }

  /// One line for all assignments: a single one as it is, several as a JSON object.
  static func line(_ assignments: [String]) throws -> String {
    var members: [(name: String, value: String)] = []
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "=") else {
        // The name and the value as two words, perhaps with spaces around the sign.
        let words = assignments.filter { $0 != "=" }
        let isPair = words.count == 2 && ValueName(words[0]) != nil && !words[1].contains("=")
        let near = isPair ? words.joined(separator: "=") : nil
        throw Failure(
          .usage,
          "\(Excerpt.quoting(assignment)) is not NAME=VALUE, such as build=failed\(Suggestion.question(near))")
      }
      let name = String(assignment[..<equals])
      if ValueName(name) == nil { throw RequestRefusal.badName(name) }
      members.append((name, String(assignment[assignment.index(after: equals)...])))
    }
    if members.count == 1, !hasLineBreak(assignments[0]) { return assignments[0] }
    return object(members)
  }

  /// The line that sets a value to this content.
  static func line(_ name: String, _ content: [UInt8]) throws(Failure) -> String {
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Failure(.badData, "standard input is not UTF-8, which 'set --stdin' needs; nothing was set")
    }
    let line = hasLineBreak(text) ? object([(name, text)]) : "\(name)=\(text)"
    if line.utf8.count <= LineReader.limit { return line }
    throw tooLong
  }

  private static var tooLong: Failure {
    Failure(
      .badData,
      "standard input does not fit a line of the socket (\(LineReader.limit >> 10) KiB), so nothing was set: send less of "
        + "it, or write it to a file that the value reads ('file')")
  }

  private static func hasLineBreak(_ text: String) -> Bool { text.utf8.contains { $0 == 10 || $0 == 13 } }

  /// A JSON object, in which line breaks are escapes.
  private static func object(_ members: [(name: String, value: String)]) -> String {
    let object = JSONWriter.object { writer in
      for (name, value) in members { writer.member(name, value) }
    }
    return String(decoding: object, as: UTF8.self)
  }

  // MARK: Standard input

  /// All of standard input.
  private static func wholeInput() throws(Failure) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Failure(.inputOutput, "\(SystemError("read", "standard input"))") }
      if count == 0 { return content }
      content += buffer[..<count]
      // The escapes of a line only make it longer.
      if content.count > LineReader.limit { throw tooLong }
    }
  }

  private static func sendInput(_ client: DaemonConnection) throws {
    var lines = SetLineFilter()
    var refused = 0
    func show(_ refusal: String) {
      refused += 1
      StandardStreams.show(refusal)
    }
    func refuse(_ number: Int, _ reason: String) { show("line \(number): \(reason)") }
    var buffer = [UInt8](repeating: 0, count: 262_144)
    var count = 1
    var inputProblem: SystemError?
    do throws(DaemonConnection.Problem) {
      while count != 0, inputProblem == nil {
        let (hasInput, hasReply) = client.wait(forInput: STDIN_FILENO)
        if hasReply { try client.takeErrors { show($0.textWithLine) } }
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
      try client.sync { show($0.textWithLine) }
    } catch .closed(let path, let said) {
      let sent = "; of the \(lines.count) lines that were sent, the last ones may be lost"
      throw Failure(.unavailable, "\(DaemonConnection.Problem.closed(path: path, said: said))\(sent)")
    }
    if let inputProblem { throw Failure(.inputOutput, "\(inputProblem)") }
    if refused > 0 { throw Failure(.refused, "\(refused) of \(lines.count) lines were refused") }
  }
}
