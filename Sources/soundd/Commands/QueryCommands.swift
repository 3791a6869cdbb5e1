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
      try StandardStreams.print("\(value.string("name"))=\(content)")
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
    commandName: "reload", abstract: "Have the running daemon read its configuration again.")

  @OptionGroup var socket: SocketOptions

  func run() throws { _ = try socket.connect().ask("reload") }
}

extension Client {
  /// An error's text without the number of the line, for a client that sent but one.
  static func withoutLine(_ text: String) -> String {
    guard text.hasPrefix("line "), let colon = text.firstIndex(of: ":") else { return text }
    return String(text[text.index(after: colon)...].drop { $0 == " " })
  }

  /// Sends a request; an error that the daemon answers is a failure.
  func ask(_ line: String) throws(Failure) -> [UInt8] {
    if line.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
      throw Failure(.usage, "there is a line break in '\(line)'")
    }
    let response: Response
    do throws(Problem) {
      response = try request(line)
    } catch {
      throw Failure(error)
    }
    switch response {
    case .line(let bytes): return bytes
    case .refused(let text): throw Failure(.refused, Self.withoutLine(text))
    }
  }
}
