import ArgumentParser
import SoundTrigger

/// `soundd get`: one value of the running daemon.
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "get", abstract: "Print a value of the running daemon.")

  @Argument(help: "The value's name.")
  var name: String
  @Flag(help: "Print everything that is known of it, as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let reply = try socket.connect().ask("get \(name)")
    if json {
      try StandardStreams.print(reply)
      return
    }
    guard let value = try JSONReply(reply).text("value") else {
      throw Failure(.noInput, "'\(name)' has no content yet")
    }
    try StandardStreams.print(value)
  }
}

/// `soundd list`: all values of the running daemon.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the values of the running daemon.")

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let reply = try socket.connect().ask("list")
    if json {
      try StandardStreams.print(reply)
      return
    }
    for value in try JSONReply.elements(of: reply) {
      let content = try value.text("value").map { String(decoding: $0, as: UTF8.self) } ?? "(none yet)"
      let mark = try value.string("stale") == "true" ? "  (stale)" : ""
      try StandardStreams.print("\(value.string("name"))=\(content)\(mark)")
    }
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
    let triggers = try JSONReply.elements(of: try JSONReply(try client.ask("status")).text("triggers") ?? [])
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
