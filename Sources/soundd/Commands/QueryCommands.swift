import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd get`: one value of the running daemon.
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a value of the running daemon.",
    discussion:
      "A terminal is shown escapes in place of what would act on it; a file or a pipe gets the content as it is.")

  @Argument(help: "The value's name.")
  var name: String
  @Flag(help: "Print everything that is known of it, as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(name, json: json, socket.connect) }

  /// Prints a value; `connect` is called when the name is known to be one.
  static func run(_ name: String, json: Bool, _ connect: () throws(Failure) -> Client) throws(Failure) {
    if ValueName(name) == nil { throw Failure(noName: name) }
    let reply = try connect().ask("get \(name)")
    if json { return try StandardStreams.print(try JSONReply.object(reply)) }
    guard let value = try JSONReply(reply).text("value") else {
      throw Failure(.noInput, "'\(name)' has no content yet")
    }
    try StandardStreams.print(isatty(STDOUT_FILENO) == 1 ? TerminalText.escaped(value) : value)
  }
}

/// `soundd list`: all values of the running daemon.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the values of the running daemon.",
    discussion: """
      A line each, with escapes such as '\\n' in place of line breaks and of what would act on a terminal. For programs \
      there is --json.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws { try Self.run(json: json, socket.connect) }

  /// Prints all values.
  static func run(json: Bool, _ connect: () throws(Failure) -> Client) throws(Failure) {
    let reply = try connect().ask("list")
    let values = try JSONReply.elements(of: reply)
    if json { return try StandardStreams.print(reply) }
    var lines: [UInt8] = []
    for value in values {
      let content = try value.text("value").map { TerminalText.escaped($0) } ?? Array("(none yet)".utf8)
      let mark = try value.string("stale") == "true" ? "  (stale)" : ""
      lines += TerminalText.escaped(Array("\(try value.string("name"))=".utf8)) + content + Array("\(mark)\n".utf8)
    }
    if !StandardStreams.write(STDOUT_FILENO, lines) { throw StandardStreams.failure }
  }
}

/// `soundd status`: how the running daemon is doing.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the running daemon is doing.")

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let reply = try socket.connect().ask("status")
    if json {
      try StandardStreams.print(reply)
    } else {
      try StandardStreams.print(StatusTable(reply).text)
    }
  }
}

/// `soundd reload`: read the configuration again.
struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Have the running daemon read its configuration again.",
    discussion: """
      It returns when the configuration is in force and its sounds are loaded. One with errors is refused and changes \
      nothing. Sounds that cannot be played are named on standard error; they are no failure, and each is played again as \
      soon as its file is good.
      """)

  @OptionGroup var socket: SocketOptions

  func run() throws {
    let client = try socket.connect()
    _ = try client.ask("reload", waitingForEver: true)
    // The configuration was taken: what is wrong with a sound is no failure, but somebody is looking just now.
    let triggers = try JSONReply.elements(
      of: try JSONReply(try client.ask("status")).text("triggers") ?? Array("[]".utf8))
    for trigger in triggers where try trigger.text("problem") != nil {
      StandardStreams.complain("trigger '\(try trigger.string("name"))': \(try trigger.string("problem"))", priority: 4)
    }
  }
}

extension Client {
  /// An error's text without the number of the line, for a client that sent but one.
  static func withoutLine(_ text: String) -> String {
    guard text.hasPrefix("line "), let colon = text.firstIndex(of: ":") else { return text }
    return String(text[text.index(after: colon)...].drop { $0 == " " })
  }

  /// Sends a request; an error that the daemon answers is a failure.
  ///
  /// `waitingForEver`: the daemon may have sounds to load before it answers.
  func ask(_ line: String, waitingForEver: Bool = false) throws(Failure) -> [UInt8] {
    if line.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
      throw Failure(.usage, "there is a line break in '\(line)'")
    }
    let response: Response
    do throws(Problem) {
      response = try request(line, waitingForEver: waitingForEver)
    } catch {
      throw Failure(error)
    }
    switch response {
    case .line(let bytes): return bytes
    case .refused(let text): throw Failure(.refused, Self.withoutLine(text))
    }
  }
}
