import Foundation
import Testing

/// The example of i3 and sway, whose message programs are played by a script: it prints what these printed when they were recorded
/// (i3 4.22 under Xvfb, sway 1.7 without a screen: two windows, a mode, a second workspace, full screen, a window closed, a reload).
struct WindowManagerExampleTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Starts the daemon with a program that tells events, which come from a pipe that the test writes to.
  private func daemon(_ program: String, socket: String, arguments: String) throws -> Program {
    let environment = try home.scriptEnvironment()
    try home.write("run/\(socket)", "")
    #expect(mkfifo(home("events"), 0o600) == 0)
    try home.writeProgram(
      "bin/\(program)",
      """
      #!/bin/sh
      case $* in
      "-s $XDG_RUNTIME_DIR/\(socket) -t get_version") exit 0 ;;
      "-s $XDG_RUNTIME_DIR/\(socket) \(arguments) "'["window", "workspace", "mode"]')
        exec cat "$HOME/events" ;;
      esac
      echo "$0: unexpected: $*" >&2
      exit 2

      """)
    // The events come all at once: a sound that the next one restarts before its first frame would not be heard.
    return try home.daemon(
      example: "i3.toml", replacing: ["overlap = \"restart\"": "overlap = \"mix\""], environment: environment)
  }

  /// Tells events, which end with a mode.
  private func tell(_ events: some Sequence<UInt8>, lastMode: String) throws {
    let pipe = try openPipe(home("events"))
    try pipe.write(contentsOf: Data(events) + Data(#"{"change":"\#(lastMode)", "pango_markup":false}"#.utf8) + [10])
    try eventually("the last one is there") { (try? home.value("i3/mode"))?["value"] as? String == lastMode }
    try pipe.close()
  }

  private func recorded(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: "\(Home.checkout)/Tests/IntegrationTests/recorded/\(name).events"))
  }

  @Test func `i3's windows, workspaces and modes are heard`() throws {
    let daemon = try daemon("i3-msg", socket: "i3/ipc-socket.1234", arguments: "-t subscribe -m")
    try tell(try recorded("i3"), lastMode: "end")
    #expect(
      try home.verdicts("window") == [
        "new played", "focus no_sound", "new played", "focus no_sound", "focus no_sound", "fullscreen_mode played",
        "fullscreen_mode played", "close played", "focus no_sound",
      ])
    #expect(
      try home.verdicts("workspace") == [
        "init not_to", "focus played", "focus played", "empty not_to", "reload not_to",
      ])
    // The mode that a reload tells is the same.
    #expect(try home.verdicts("mode") == ["resize played", "default played", "end played"])
    #expect(try home.decided("call") == 0)
    withExtendedLifetime(daemon) {}
  }

  @Test func `so are sway's`() throws {
    let daemon = try daemon("swaymsg", socket: "sway-ipc.1000.1234.sock", arguments: "-r -t subscribe -m")
    try tell(try recorded("sway"), lastMode: "end")
    #expect(
      try home.verdicts("window") == [
        "new played", "title no_sound", "focus no_sound", "focus no_sound", "close played",
      ])
    #expect(
      try home.verdicts("workspace") == [
        "init not_to", "focus played", "focus played", "empty not_to", "reload not_to",
      ])
    #expect(try home.verdicts("mode") == ["resize played", "default played", "end played"])
    withExtendedLifetime(daemon) {}
  }

  @Test func `a call is heard once, no title and no mode can pretend anything, and no event is too long`() throws {
    let long = String(repeating: "{\"type\":\"con\",\"window\":1234567,\"name\":\"xterm\"},", count: 4000)
    let lines = [
      #"{"change":"title","container":{"name":"{\"change\":\"urgent\",\"container\":\nwindow=urgent"}}"#,
      #"{"change":"urgent","container":{"id":1,"urgent":true}}"#,
      #"{"change":"urgent","current":{"id":2,"nodes":["# + long + #"{}]},"old":null}"#,
      #"{"change":"'; touch pwned; \n$(touch pwned) \u001b[2J","pango_markup":false}"#,
    ]
    let daemon = try daemon("i3-msg", socket: "i3/ipc-socket.1234", arguments: "-t subscribe -m")
    try tell((lines.joined(separator: "\n") + "\n").utf8, lastMode: "end")
    #expect(try home.verdicts("call") == ["title not_to", "urgent played", "urgent throttled"])
    #expect(try home.verdicts("mode") == ["'; touch pwned; \n$(touch pwned) \u{1B}[2J played", "end played"])
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
    withExtendedLifetime(daemon) {}
  }

  @Test func `each has its sound`() throws {
    let plays = try home.render(
      example: "i3.toml",
      """
      0 i3/window=new
      1 i3/window=title
      2 i3/window=close
      3 i3/workspace=focus
      4 i3/workspace=urgent
      5 i3/mode=resize
      6 i3/mode=default
      """)
    #expect(
      plays == [
        "0 window plays press", "2 window plays release", "3 workspace plays tick", "4 call plays message",
        "5 mode plays selection-on", "6 mode plays selection-off",
      ])
  }
}
