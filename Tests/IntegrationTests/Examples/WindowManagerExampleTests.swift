import Foundation
import Testing

/// The example of i3 and sway, whose message programs are played by a script: it prints what these printed when they were recorded
/// (i3 4.22 under Xvfb, sway 1.7 without a screen: two windows, a mode, a second workspace, full screen, a window closed, a reload).
struct WindowManagerExampleTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    // The events come all at once: a sound that the next one restarts before its first frame would not be heard.
    daemon = try home.daemon(
      example: "i3/config.toml", replacing: ["overlap = \"restart\"": "overlap = \"mix\""])
  }

  /// Installs a program that tells events as long as `events` is there, which is a pipe that the test writes to.
  private func install(_ program: String, arguments: String) throws -> Program {
    let environment = try home.scriptEnvironment()
    #expect(mkfifo(home("events"), 0o600) == 0)
    try home.writeProgram(
      "bin/\(program)",
      """
      #!/bin/sh
      case $* in
      "-t get_version") exec test -e "$HOME/events" ;;
      '\(arguments) ["window", "workspace", "mode"]') exec cat "$HOME/events" ;;
      esac
      echo "$0: unexpected: $*" >&2
      exit 2

      """)
    // The pause before it looks whether a window manager is still there.
    try home.writeProgram("bin/sleep", "#!/bin/sh\n")
    let sway = program == "swaymsg" ? ["SWAYSOCK": "/nowhere"] : [:]
    return try home.start(example: "i3/soundd-i3", environment: environment.merging(sway) { $1 })
  }

  /// Tells events, then ends the window manager.
  private func tell(_ events: some Sequence<UInt8>, to script: Program) throws {
    let pipe = try openPipe(home("events"))
    try pipe.write(contentsOf: Data(events))
    try FileManager.default.removeItem(atPath: home("events"))
    try pipe.close()
    #expect(try script.wait() == .exit(0))
    #expect(script.errors == "")
  }

  private func recorded(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: "\(Home.checkout)/Tests/IntegrationTests/recorded/\(name).events"))
  }

  @Test func `i3's windows, workspaces and modes are heard`() throws {
    try tell(try recorded("i3"), to: try install("i3-msg", arguments: "-t subscribe -m"))
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
    #expect(try home.verdicts("mode") == ["resize played", "default played"])
    #expect(try home.decided("call") == 0)
  }

  @Test func `so are sway's`() throws {
    try tell(try recorded("sway"), to: try install("swaymsg", arguments: "-r -t subscribe -m"))
    #expect(
      try home.verdicts("window") == [
        "new played", "title no_sound", "focus no_sound", "focus no_sound", "close played",
      ])
    #expect(
      try home.verdicts("workspace") == [
        "init not_to", "focus played", "focus played", "empty not_to", "reload not_to",
      ])
    #expect(try home.verdicts("mode") == ["resize played", "default played"])
  }

  @Test func `a call is heard once, a title cannot pretend anything, and no event is too long`() throws {
    let long = String(repeating: "{\"type\":\"con\",\"window\":1234567,\"name\":\"xterm\"},", count: 4000)
    let lines = [
      #"{"change":"title","container":{"name":"{\"change\":\"urgent\",\"container\":\nwindow=urgent"}}"#,
      #"{"change":"urgent","container":{"id":1,"urgent":true}}"#,
      #"{"change":"urgent","current":{"id":2,"nodes":["# + long + #"{}]},"old":null}"#,
      #"{"change":"say \"hi\"","pango_markup":false}"#,
    ]
    try tell((lines.joined(separator: "\n") + "\n").utf8, to: try install("i3-msg", arguments: "-t subscribe -m"))
    #expect(try home.verdicts("call") == ["title not_to", "urgent played", "urgent throttled"])
    #expect(try home.value("mode")["value"] as? String == "say \"hi\"")
  }

  @Test func `each has its sound`() throws {
    let plays = try home.render(
      example: "i3/config.toml",
      """
      0 window=new
      1 window=title
      2 window=close
      3 workspace=focus
      4 workspace=urgent
      5 mode=resize
      6 mode=default
      """)
    #expect(
      plays == [
        "0 window plays press", "2 window plays release", "3 workspace plays tick", "4 call plays message",
        "5 mode plays selection-on", "6 mode plays selection-off",
      ])
  }
}
