import Foundation

/// A terminal, which is a pane of tmux(1), and a shell script that runs in it.
final class Pane {
  private let home: Home
  private let socket: String
  private let environment: [String: String]

  /// Runs a script of bash. When it has ended, the pane stays.
  init(_ home: Home, _ script: String, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
    self.home = home
    socket = home("tmux-\(UUID().uuidString.prefix(4))")
    self.environment = ["TERM": "xterm-256color", "SHELL": "/bin/bash"].merging(environment) { $1 }
    let file = try home.write("script-\(UUID().uuidString.prefix(4))", "\(script)\nexec sleep 1000\n")
    // tmux sets TERM.
    let term = environment["TERM"].map { "TERM=\($0)" } ?? ""
    _ = try tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "\(term) exec /bin/bash --norc \(file)"])
  }

  deinit { _ = try? tmux(["kill-server"]) }

  @discardableResult
  private func tmux(_ arguments: [String]) throws -> String {
    let program = try home.start(
      program: "/usr/bin/tmux", ["-u", "-S", socket, "-f", "/dev/null"] + arguments, environment: environment)
    guard try program.wait() == .exit(0) else { throw TimedOut(description: "tmux \(arguments): \(program.errors)") }
    return program.text
  }

  /// The lines that it shows, without blanks at their ends.
  func lines() throws -> [String] {
    try tmux(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
      String.init)
  }

  /// The same with sequences for colours.
  func coloured() throws -> String { try tmux(["capture-pane", "-p", "-e"]) }

  func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

  func resize(_ columns: Int, _ rows: Int) throws { try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"]) }

  /// What a format of tmux says, such as `#{alternate_on}`.
  func says(_ format: String) throws -> String {
    try tmux(["display-message", "-p", format]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until a line begins so, blanks at its beginning apart, and returns all lines.
  @discardableResult
  func wait(for beginnings: String...) throws -> [String] {
    var last: [String] = []
    do {
      try eventually("\(beginnings)") {
        last = try lines()
        return beginnings.allSatisfy { text in last.contains { $0.drop { $0 == " " || $0 == ">" }.hasPrefix(text) } }
      }
    } catch let error as TimedOut {
      throw TimedOut(description: "\(error)\n\(last.joined(separator: "\n"))")
    }
    return last
  }
}
