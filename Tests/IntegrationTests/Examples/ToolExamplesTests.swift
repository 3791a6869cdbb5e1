import Foundation
import Testing

/// The examples that follow a tool of the system. What the tools print is what they printed when it was recorded (kubectl 1.32
/// against an API server), or what their manuals show (upsc(8), df(1)).
struct ToolExamplesTests {
  private let home: Home

  init() throws { home = try Home() }

  private func wait(_ name: String, _ content: String) throws {
    try eventually("'\(name)' is '\(content)'") { "\((try? home.value(name))?["value"] ?? "")" == content }
  }

  /// Text that a shell would not survive.
  private static let strange = "a \"b\" '; touch pwned; $(touch pwned) `touch pwned` \u{1B}[2J"

  private func expectNothingRun() {
    #expect(!FileManager.default.fileExists(atPath: home("config/soundd/pwned")))
  }

  // MARK: df

  @Test func `the real df gives two percentages`() throws {
    let daemon = try home.daemon(example: "disk.toml")
    try eventually("it is known") { try home.value("disk")["value"] is NSNumber }
    let percent = try #require(try home.value("disk")["value"] as? Int)
    #expect((0...100).contains(percent))
    withExtendedLifetime(daemon) {}
  }

  @Test func `what df prints is a number, and nothing else counts`() throws {
    let environment = try home.scriptEnvironment()
    try home.writeProgram("bin/df", "#!/bin/sh\nexec cat \"$HOME/$1\"\n")
    try home.write("--output=pcent", "Use%\n 42%\n")
    try home.write("--output=ipcent", "IUse%\n    -\n")
    let daemon = try home.daemon(
      example: "disk.toml", replacing: ["every   = \"1 min\"": "every = \"1 s\""], environment: environment)
    try wait("disk", "42")
    try home.replace("--output=pcent", "Use%\n\(Self.strange)\n 91%\n")
    try home.expect("disk-filling", ["42 outside", "91 played"])
    #expect(try home.value("disk-files")["value"] is NSNull)
    expectNothingRun()
    withExtendedLifetime(daemon) {}
  }

  @Test func `a disk is heard when it fills up, and again only after it was emptied`() throws {
    let plays = try home.render(
      example: "disk.toml",
      "0 disk=89%\n1 disk=91%\n2 disk=89%\n3 disk=92%\n4 disk=99%\n5 disk=80%\n6 disk-files=95%\n7 disk=91%\n")
    #expect(
      plays == [
        "1 disk-filling plays warning", "4 disk-full plays error", "6 disk-filling plays warning",
        "7 disk-filling plays warning",
      ])
  }

  // MARK: upsc

  @Test func `the words of a UPS are heard, and one that is gone is stale`() throws {
    let environment = try home.scriptEnvironment()
    try home.writeProgram(
      "bin/upsc",
      """
      #!/bin/sh
      echo "Init SSL without certificate database" >&2
      test "$*" = "ups@localhost ups.status" && exec cat "$HOME/ups"

      """)
    try home.write("ups", "OL CHRG\n")
    let daemon = try home.daemon(
      example: "ups.toml", replacing: ["every   = \"5 s\"": "every = \"1 s\""], environment: environment)
    try wait("ups-power", "OL")
    try home.replace("ups", "OB DISCHRG\n")
    try home.expect("ups-power", ["OL appeared", "OB played"])
    try home.replace("ups", Self.strange + "\nOB DISCHRG LB\n")
    try eventually("it alarms") { try home.trigger("ups-low")["state"] as? String == "looping" }
    try home.replace("ups", "OL\n")
    try home.expect("ups-power", ["OL appeared", "OB played", "OL played"])
    try eventually("the alarm is over") { try home.trigger("ups-low")["state"] as? String == "ok" }
    expectNothingRun()
    withExtendedLifetime(daemon) {}
  }

  @Test func `each state of a UPS has its sound`() throws {
    let plays = try home.render(
      example: "ups.toml",
      "0 ups=OL\n1 ups=OB DISCHRG\n5 ups=OB DISCHRG LB\n6 ups=OL CHRG RB\n7 ups=OL RB\n8 ups=FSD OL\n9 ack\n")
    #expect(
      plays == [
        "1 ups-power plays warning", "5 ups-low plays alarm", "6 ups-low stops", "6 ups-power plays success",
        "6 ups-replace plays message", "8 ups-shutdown plays error",
      ])
  }

  // MARK: kubectl

  @Test func `pods are heard when they fail, each for itself`() throws {
    let environment = try home.scriptEnvironment()
    #expect(mkfifo(home("pods"), 0o600) == 0)
    // In place of the template, which shows that nothing but kubectl reads it.
    try home.writeProgram(
      "bin/kubectl",
      """
      #!/bin/sh
      test "$1 $2 $3 $4" = "get pods --watch --output" || exit 2
      printf '%s' "$5" >"$HOME/template"
      exec cat "$HOME/pods"

      """)
    let daemon = try home.daemon(example: "kubernetes.toml", environment: environment)
    let pipe = try openPipe(home("pods"))
    func say(_ text: String) throws { try pipe.write(contentsOf: Data(text.utf8)) }
    try say("default/web-1=Running \ndefault/job=Running \n")
    try wait("pod/default/web-1", "Running")
    #expect(
      try String(contentsOfFile: home("template"), encoding: .utf8)
        == "jsonpath={.metadata.namespace}/{.metadata.name}={.status.phase} "
        + "{.status.initContainerStatuses[*].state.waiting.reason} "
        + #"{.status.containerStatuses[*].state.waiting.reason}{"\n"}"#)
    try say("default/web-1=Running CrashLoopBackOff\ndefault/trial=Pending \ndefault/trial=Failed \n")
    try say("default/job=Succeeded \ndefault/job=Succeeded \n")
    try wait("pod/default/job", "Succeeded")
    #expect(try home.decided("pod-failed") == 1)
    // A reason with a line break begins another line, which is no name, or stays beneath the prefix.
    try say("default/evil=\(Self.strange)\n\(Self.strange)=x\n../../banners=x\nend=1\n")
    try wait("pod/end", "1")
    #expect(try home.value("pod/default/evil")["value"] as? String == Self.strange)
    let names = try JSON.array(try home.connect().ask("list")).compactMap { $0["name"] as? String }
    #expect(names.allSatisfy { $0.hasPrefix("pod/") })
    expectNothingRun()
    withExtendedLifetime(daemon) {}
  }

  @Test func `many pods that fail at once are one sound more`() throws {
    let plays = try home.render(
      example: "kubernetes.toml",
      """
      0 {"pod/default/a":"Running","pod/default/b":"Running","pod/default/c":"Running"}
      1 {"pod/default/a":"Failed","pod/default/b":"Running CrashLoopBackOff","pod/default/c":"Running ImagePullBackOff"}
      60 pod/default/a=Succeeded
      """)
    #expect(
      plays == [
        "1 pod-failed[pod/default/a] plays error", "11 pod-failed[pod/default/b] plays error",
        "60 pod-done[pod/default/a] plays success",
      ])
  }
}
