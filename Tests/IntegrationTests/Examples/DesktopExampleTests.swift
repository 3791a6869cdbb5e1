import Foundation
import Testing

/// The example of the desktop. Programs play what pactl 16.1 (with PipeWire), gsettings and gdbus printed when they were recorded.
struct DesktopExampleTests {
  private let home: Home
  private let daemon: Program
  /// What each program tells as it happens.
  private let subscribe: FileHandle
  private let settings: FileHandle
  private let signals: FileHandle

  init() throws {
    home = try Home()
    let environment = try home.scriptEnvironment()
    for pipe in ["subscribe", "settings", "signals"] { #expect(mkfifo(home(pipe), 0o600) == 0) }
    for list in ["source-outputs", "sinks"] { try home.write(list, "") }
    try home.writeProgram(
      "bin/pactl",
      """
      #!/bin/sh
      case $* in
      subscribe) exec cat "$HOME/subscribe" ;;
      "list source-outputs" | "list sinks") exec cat "$HOME/$2" ;;
      esac
      exit 2

      """)
    try home.writeProgram(
      "bin/gsettings",
      """
      #!/bin/sh
      case $* in
      "get org.gnome.desktop.notifications show-banners") echo true ;;
      "monitor org.gnome.desktop.notifications show-banners") exec cat "$HOME/settings" ;;
      *) exit 2 ;;
      esac

      """)
    try home.writeProgram(
      "bin/gdbus",
      """
      #!/bin/sh
      test "$*" = "monitor --system --dest org.freedesktop.login1" && exec cat "$HOME/signals"

      """)
    daemon = try home.daemon(example: "desktop.toml", environment: environment)
    subscribe = try openPipe(home("subscribe"))
    settings = try openPipe(home("settings"))
    signals = try openPipe(home("signals"))
    try wait("desktop/headphones", "false")
    try wait("presenting", "false")
  }

  private func wait(_ name: String, _ content: String) throws {
    try eventually("'\(name)' is \(content)") {
      ((try? home.value(name))?["value"] as? Bool).map { "\($0)" } == content
    }
  }

  private func say(_ text: String, through pipe: FileHandle) throws { try pipe.write(contentsOf: Data(text.utf8)) }

  private func waitForProfile(_ profile: String) throws {
    try eventually("the profile is \(profile)") { try home.status()["profile"] as? String == profile }
  }

  /// A recording as pactl lists it.
  private static func recording(corked: String = "no", _ name: String, _ more: String = "") -> String {
    """
    Source Output #45
    \tDriver: PipeWire
    \tOwner Module: n/a
    \tClient: 44
    \tSource: 30
    \tSample Specification: s16le 2ch 48000Hz
    \tCorked: \(corked)
    \tMute: no
    \tSource Latency: 0 usec
    \tResample method: PipeWire
    \tProperties:
    \t\tapplication.name = "pw-record"
    \t\tmedia.name = "\(name)"
    \t\tstream.is-live = "true"
    \(more)\t\tobject.serial = "45"


    """
  }

  @Test func `a recording is a call, one that pauses and a level meter are not`() throws {
    func list(_ text: String) throws {
      try home.replace("source-outputs", text)
      try say("Event 'new' on source-output #45\nEvent 'change' on sink-input #46\n", through: subscribe)
    }
    try list(Self.recording("/tmp/r.wav"))
    try wait("desktop/in-call", "true")
    try waitForProfile("quiet")
    try list(Self.recording(corked: "yes", "x") + Self.recording("Peak", "\t\tresample.peaks = \"true\"\n"))
    try wait("desktop/in-call", "false")
    try waitForProfile("full")
    // What a program calls its recording is not the daemon's.
    let name = "a \"b\" '; touch pwned; $(touch pwned) \u{1B}[2J\nheadphones=true\n\nbanners=false"
    try list(Self.recording(corked: "yes", "x") + Self.recording(name))
    try wait("desktop/in-call", "true")
    try wait("desktop/headphones", "false")
    try wait("presenting", "false")
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
  }

  @Test func `headphones are heard, unless the screen is locked`() throws {
    func plug(_ port: String) throws {
      // As `pactl list sinks` shows an internal card.
      try home.replace(
        "sinks",
        """
        Sink #0
        \tState: RUNNING
        \tDescription: Headphones of "a" $(touch pwned)
        \tPorts:
        \t\tanalog-output-speaker: Speakers (type: Speaker, priority: 10000, availability unknown)
        \t\tanalog-output-headphones: Headphones (type: Headphones, priority: 9900, available)
        \tActive Port: \(port)

        """)
      try say("Event 'change' on sink #0\n", through: subscribe)
    }
    try plug("analog-output-headphones")
    // True and false are 1 and 0 as numbers.
    try home.expect("headphones", ["0 appeared", "1 played"])
    try say(
      "Monitoring signals from all objects owned by org.freedesktop.login1\n"
        + "The name org.freedesktop.login1 is owned by :1.2\n"
        + "/org/freedesktop/login1/session/_32: org.freedesktop.DBus.Properties.PropertiesChanged "
        + "('org.freedesktop.login1.Session', {'LockedHint': <true>, 'Desktop': <\"it's \\\"a\\\" $(x)\">}, @as [])\n",
      through: signals)
    try wait("locked", "true")
    try waitForProfile("quiet")
    try plug("analog-output-speaker")
    try wait("desktop/headphones", "false")
    #expect(try home.verdicts("headphones").dropLast() == ["0 appeared", "1 played"])
    #expect(try home.decided("headphones") == 1)
  }

  @Test func `Do Not Disturb is silent`() throws {
    try say("show-banners: false\n", through: settings)
    try wait("presenting", "true")
    try waitForProfile("silent")
    try say("show-banners: true\n", through: settings)
    try wait("presenting", "false")
    try waitForProfile("full")
  }
}
