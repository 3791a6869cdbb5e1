import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd events`: what happens in the running daemon, as it happens.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Follow changes of values and what is played for them.",
    discussion: """
      Prints a JSON object a line, each as soon as it happens, from now on:

        {"event":"change", …}  a value changed, from 'old' to 'new'; 'old' is null for its first content
        {"event":"play", …}    a sound began; 'verdict' tells if it was not heard
        {"event":"stop", …}    a sound is over; 'reason' tells why

      With names, only what belongs to these values is told; a name that nobody has set yet may come to be. It goes on \
      until it is interrupted or the daemon leaves.
      """)

  @Argument(help: "The names of values; without any, all.")
  var names: [String] = []
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    for name in names where ValueName(name) == nil { throw ValidationError(Failure(noName: name).description) }
  }

  func run() throws {
    let client = try socket.connect()
    let reply = try client.ask((["events"] + names).joined(separator: " "))
    if reply != Array("ok".utf8) {
      throw Failure(
        Client.Problem.notUnderstood(path: client.path, said: String(decoding: reply, as: UTF8.self)))
    }
    try follow(client)
  }

  private func follow(_ client: Client) throws(Failure) {
    while let lines = try next(client) {
      if lines.isEmpty {
        // As if it had written to the reader that has left.
        raise(SIGPIPE)
        throw Failure(.inputOutput, "nobody reads standard output any more")
      }
      if !StandardStreams.write(STDOUT_FILENO, lines) { throw StandardStreams.failure }
    }
    throw Failure(
      .unavailable,
      "soundd on \(client.path) ended the connection: it has left, or more happened than was read in time")
  }

  private func next(_ client: Client) throws(Failure) -> [UInt8]? {
    do throws(Client.Problem) { return try client.readLines(whileRead: STDOUT_FILENO) } catch { throw Failure(error) }
  }
}
