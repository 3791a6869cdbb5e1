/// A command line in its plainest form, which scripts call in loops.
///
/// The parser would take longer than all the rest; it reads every other command line.
enum PlainCommand: Equatable {
  case set([String], socket: String?, ifRunning: Bool)
  case get(String, socket: String?)
  case list(socket: String?)

  /// `set NAME=VALUE …`, `set -`, `get NAME` or `list`, with `--socket PATH` before the arguments or without, `set` also with
  /// `--if-running`; `nil`: something else. `arguments` are those after the program's name.
  init?(_ arguments: [String]) {
    guard let command = arguments.first else { return nil }
    var rest = arguments.dropFirst()
    var socket: String?
    var ifRunning = false
    while true {
      if rest.first == "--socket", rest.count > 1, socket == nil {
        socket = rest.dropFirst().first
        rest = rest.dropFirst(2)
      } else if command == "set", rest.first == "--if-running", !ifRunning {
        ifRunning = true
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    if socket?.hasPrefix("-") == true { return nil }
    let isPlain = !rest.contains { $0.hasPrefix("-") }
    switch command {
    case "set" where !rest.isEmpty && (isPlain || rest == ["-"]):
      self = .set(Array(rest), socket: socket, ifRunning: ifRunning)
    case "get" where isPlain && rest.count == 1: self = .get(rest.first ?? "", socket: socket)
    case "list" where rest.isEmpty: self = .list(socket: socket)
    default: return nil
    }
  }

  func run() throws {
    switch self {
    case .set(let assignments, let socket, let ifRunning):
      do {
        try SetCommand.run(assignments) { try SocketOptions.connect(option: socket, ifRunning: ifRunning) }
      } catch let error where ifRunning && HookOptions.isAbsence(error) {}
    case .get(let name, let socket):
      try GetCommand.run(name, json: false) { try SocketOptions.connect(option: socket) }
    case .list(let socket): try ListCommand.run(json: false) { try SocketOptions.connect(option: socket) }
    }
  }
}
