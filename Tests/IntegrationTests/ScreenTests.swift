import Foundation
import Testing

/// What people see on terminals of several widths: tmux(1) is the terminal.
struct ScreenTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    daemon = try home.daemon(
      """
      [[trigger]]
      name = "builds of the main branch"
      value = "build/main"
      sounds = { passed = "success", failed = "error" }
      [[trigger]]
      name = "kitchen"
      value = ["door/front", "door/back"]
      sound = "missing"
      """, "--device", "none")
    for line in ["build/main=running", "build/main=passed", "build/main=failed", "door/front=open", "door/front=shut"] {
      #expect(try home.run("set", line).wait() == .exit(0))
    }
    try eventually("both have played") { try home.played("builds of the main branch") == 2 }
  }

  /// What a command shows on a terminal of so many columns, with escape sequences for colours.
  private func screen(
    _ command: String, columns: Int, environment: [String: String] = [:], inColour: Bool = false
  ) throws -> [String] {
    let socket = home("tmux-\(UUID().uuidString.prefix(4))")
    func tmux(_ arguments: String...) throws -> Program {
      let program = try home.start(
        program: "/usr/bin/tmux", ["-S", socket, "-f", "/dev/null"] + arguments,
        environment: ["TERM": "xterm-256color", "SHELL": "/bin/sh"].merging(environment) { $1 })
      try program.wait()
      return program
    }
    defer { _ = try? tmux("kill-server") }
    // The prompt would be on the screen: the shell only waits.
    let started = try tmux(
      "new-session", "-d", "-x", "\(columns)", "-y", "50",
      "'\(Home.soundd)' \(command); echo \"code $?\"; exec sleep 1000")
    #expect(try started.wait() == .exit(0), "\(started.errors)")
    var lines: [String] = []
    try eventually("it has ended") {
      let capture = try tmux("capture-pane", "-p", inColour ? "-e" : "-J")
      lines = capture.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return lines.contains { $0.hasPrefix("code ") }
    }
    let end = try #require(lines.firstIndex { $0.hasPrefix("code ") })
    #expect(lines[end] == "code 0")
    return Array(lines[..<end])
  }

  @Test(arguments: [60, 80, 200]) func `tables fit the terminal`(columns: Int) throws {
    #expect(try home.run("set", "report=\(String(repeating: "long ", count: 100))").wait() == .exit(0))
    for command in [
      "status", "explain 'builds of the main branch'", "explain kitchen", "list", "help status", "sounds", "devices",
    ] {
      // A line that was too wide would be joined with its rest.
      for line in try screen(command, columns: columns) { #expect(line.count <= columns, "\(command): \(line)") }
    }
  }

  @Test func `a narrow terminal shows fewer columns`() throws {
    func header(_ columns: Int) throws -> [Substring]? {
      try screen("status", columns: columns).first { $0.hasPrefix("TRIGGER") }?.split(separator: " ")
    }
    #expect(
      try header(200) == [
        "TRIGGER", "VALUE", "SOUND", "STATE", "PLAYED", "LAST", "CHANGES", "DROPPED", "P50", "µs", "P99", "µs",
      ])
    #expect(try header(80) == ["TRIGGER", "VALUE", "STATE", "PLAYED", "LAST"])
    #expect(try header(60) == ["TRIGGER", "STATE", "PLAYED", "LAST"])
  }

  @Test func `a name that is probably misspelt is named at once`() throws {
    let warning = "'build/mian' was set, but nothing in the configuration names it (did you mean 'build/main'?)"
    #expect(try screen("set build/mian=passed", columns: 200) == ["soundd: warning: \(warning)"])
    #expect(try screen("set build/main=passed", columns: 200) == [])
    // A script reads the log.
    #expect(try home.run("set", "build/mian=failed").errors == "")
  }

  @Test func `the status begins with what decides whether anything is heard`() throws {
    #expect(try home.run("mute", "1 h").wait() == .exit(0))
    let lines = try screen("status", columns: 80)
    let labels = lines.prefix { !$0.isEmpty }.map { $0.prefix(8).trimmingCharacters(in: .whitespaces) }
    #expect(
      labels.filter { !$0.isEmpty && $0 != "warning" } == ["device", "volume", "mute", "profile", "broken", "played"])
    #expect(lines.contains { $0.hasPrefix("mute      until ") })
    #expect(lines.contains { $0.hasPrefix("broken    kitchen: no sound is called 'missing'") })
    #expect(lines.contains { $0.hasPrefix("played    builds of the main branch, ") })
    let rows = try screen("status", columns: 80, inColour: true)
    #expect(rows.contains { $0.contains("\u{1B}[31m") && $0.contains("kitchen") })
    let plain = try screen("status", columns: 80, environment: ["NO_COLOR": "1"], inColour: true)
    #expect(!plain.joined().contains("\u{1B}[3"))
  }
}
