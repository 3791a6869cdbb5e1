import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Programs that speak well, badly, or not at all.
struct SpeechEngineTests {
  private let folder = TemporaryFolder()
  private let loader = ClipLoader(rate: 48_000)

  private func engine(_ script: String, patience: Duration = .seconds(10)) -> SpeechEngine {
    let command = ExternalCommand(arguments: ["/bin/sh", "-c", script], folder: folder.path)
    let environment = SystemEnvironment(variables: ["PATH": "/usr/bin:/bin"], workingDirectory: "/")
    var engine = SpeechEngine(command, CommandRunner.Setting(environment))
    engine.patience = patience
    return engine
  }

  private func speak(_ script: String, _ text: String = "hello", patience: Duration = .seconds(10)) throws -> Clip? {
    try engine(script, patience: patience).speak(text, loader) { false }
  }

  private func reason(_ script: String, patience: Duration = .seconds(10)) -> String? {
    do throws(SoundError) { _ = try engine(script, patience: patience).speak("hello", loader) { false } } catch {
      if case .unspoken("hello", let reason) = error { return reason }
    }
    return nil
  }

  private func writeSound(frames: Int) {
    folder.write("s.wav", WAVBuilder.int16([Int16](repeating: 1000, count: 2 * frames), channels: 2, rate: 48_000))
  }

  @Test func `a program gets the text on its standard input, and its sound is the speech`() throws {
    writeSound(frames: 100)
    let text = "é \"; touch pwned; $(touch pwned) `touch pwned`"
    let clip = try speak("cat >text; cat s.wav", text)
    #expect(clip?.frameCount == 100)
    #expect(try String(contentsOfFile: folder("text"), encoding: .utf8) == text + "\n")
    #expect(!FileManager.default.fileExists(atPath: folder("pwned")))
  }

  @Test func `a program that writes nothing has spoken itself`() throws {
    #expect(try speak("cat >/dev/null") == nil)
    // It need not read the text.
    #expect(try speak("exit 0") == nil)
  }

  @Test func `a program that fails says why`() {
    #expect(reason("echo first >&2; echo 'no voice' >&2; exit 3") == "it ended with exit status 3: 'no voice'")
    #expect(reason("kill -9 $$")?.hasPrefix("it was ended by signal 9") == true)
  }

  @Test func `a program that writes garbage is told apart from one that speaks`() {
    #expect(reason("echo garbage")?.hasPrefix("it wrote no sound") == true)
    #expect(reason("head -c 100000 /dev/urandom")?.hasPrefix("it wrote no sound") == true)
  }

  @Test func `a program that hangs is ended, with all that it has started`() throws {
    let limit = Duration.milliseconds(200)
    #expect(
      reason("sleep 100 & echo $! >pid; sleep 100", patience: limit)?.hasPrefix("it did not end within 200 ms") == true)
    let pid = try #require(pid_t(try String(contentsOfFile: folder("pid"), encoding: .utf8).dropLast()))
    // The kernel may take a moment, and nobody may collect what is left.
    func isGone() -> Bool {
      let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return kill(pid, 0) != 0 || state?.contains(") Z ") != false
    }
    for _ in 0..<500 * timeFactor where !isGone() { usleep(10_000) }
    #expect(isGone())
  }

  @Test func `what a program leaves behind goes on, because it may be a server that speaks for others`() throws {
    // It holds the program's output meanwhile.
    #expect(try speak("(until [ -e go ]; do sleep 0.02; done; touch later) & exit 0", patience: .seconds(20)) == nil)
    folder.write("go", [])
    for _ in 0..<500 * timeFactor where !FileManager.default.fileExists(atPath: folder("later")) { usleep(10_000) }
    #expect(FileManager.default.fileExists(atPath: folder("later")))
  }

  @Test func `a program may close its output and run on`() throws {
    #expect(try speak("exec >&-; sleep 0.2") == nil)
    #expect(reason("exec >&-; sleep 100", patience: .milliseconds(200))?.hasPrefix("it did not end") == true)
  }

  @Test func `a program that never stops writing is ended`() {
    #expect(reason("cat /dev/zero")?.contains("or wrote more than 16 MiB") == true)
  }

  @Test func `a program can be called off`() throws {
    let start = ContinuousClock.now
    #expect(throws: SoundError.self) { try engine("sleep 100").speak("hello", loader) { true } }
    #expect(ContinuousClock.now - start < atMost(.seconds(5)))
  }

  @Test func `without its program a text cannot be said`() throws {
    let command = ExternalCommand(arguments: ["no-such-engine"], folder: "/")
    var configuration = Configuration()
    configuration.speech = command
    let locator = SystemEnvironment.test.soundLocator(configurationFile: nil, configuration)
    let reason = "there is no program 'no-such-engine' in PATH: install it, or write its whole path"
    #expect(throws: SoundError.unspoken(text: "{value}", reason: reason)) { try locator.locate("say:{value}") }
    configuration.speech.arguments = ["sh"]
    #expect(
      try SystemEnvironment.test.soundLocator(configurationFile: nil, configuration).locate("say:hello") == "say:hello")
  }

  @Test func `what a program complains of does not stop it`() {
    #expect(
      reason("head -c 1000000 /dev/zero >&2; echo >&2; echo 'no voice' >&2; exit 3")?.contains("no voice'") == true)
  }
}
