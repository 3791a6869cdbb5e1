import Foundation
import Testing

struct SpeechExampleTests {
  @Test func `the example speaks what is written into its value`() throws {
    let file = "speech.toml"
    let text = try String(contentsOfFile: "\(Home.examples)/\(file)", encoding: .utf8)
    // With espeak-ng, and with each of the programs that take its place, which a script plays here.
    let others = text.split(separator: "\n").filter { $0.hasPrefix("# command = ") }.map {
      "[speech]\n\($0.dropFirst(2))\n"
    }
    #expect(others.count == 2)
    for (number, speech) in (["\n"] + others).enumerated() {
      let home = try Home()
      let script = "#!/bin/sh\nprintf '%s|' \"$@\" >\"$HOME/spoken\"\n"
      try home.writeProgram("bin/spd-say", script)
      // It prints the reply.
      try home.writeProgram("bin/busctl", script + "echo '()'\n")
      let daemon = try home.daemon(
        text + "\n" + speech, "--device", "none",
        environment: ["PATH": home("bin") + ":/usr/bin:/bin"])
      #expect(try home.run("set", "speech=-- a \"b\" $(c)").wait() == .exit(0))
      try eventually("it is spoken") {
        let program = try home.run("explain", "speech")
        return try program.wait() == .exit(0) && program.text.contains("said '-- a \"b\" $(c)'")
      }
      let spoken = try? String(contentsOfFile: home("spoken"), encoding: .utf8)
      switch number {
      case 0: #expect(spoken == nil)
      case 1: #expect(spoken == "--wait|--|-- a \"b\" $(c)|")
      default: #expect(spoken?.hasSuffix("|PresentMessage|s|-- a \"b\" $(c)|") == true)
      }
      withExtendedLifetime(daemon) {}
    }
  }
}
