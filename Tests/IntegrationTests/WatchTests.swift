import Foundation
import Testing

/// `soundd watch`: one value, one sound, no configuration.
struct WatchTests {
  /// Lines that go in, options, and how many plays come out.
  struct Case: CustomTestStringConvertible {
    var lines: String
    var options: [String]
    var plays: Double

    var testDescription: String { "\(options) \(lines.debugDescription)" }
  }

  @Test(arguments: [
    Case(lines: "a\na\nb\nb\na\n", options: [], plays: 2),
    Case(lines: "a\nb", options: [], plays: 1),
    Case(lines: "a\r\n a \r\nb\r\n", options: [], plays: 1),
    Case(lines: "a\n", options: [], plays: 0),
    Case(lines: "", options: [], plays: 0),
    Case(lines: "a\na\n", options: ["--initial"], plays: 1),
    Case(lines: "ok\nbad\nok\nworse\n", options: ["--to", "bad", "--to", "worse"], plays: 2),
    Case(lines: "ok\nbad\nok\nworse\nok\n", options: ["--from", "bad"], plays: 1),
    Case(lines: "80\n91\n89\n91\n84\n91\n", options: ["--above", "90", "--hysteresis", "5"], plays: 2),
    Case(lines: "0\n-10\n", options: ["--below", "-5"], plays: 1),
    Case(lines: "0\n-1\n", options: ["--to", "-1"], plays: 1),
    Case(lines: "20\n35\n36\n5\n30\n5\n", options: ["--above", "30", "--below", "10"], plays: 3),
    Case(lines: "1\n2\n1\n3\n3.0\n", options: ["--when", "increase"], plays: 2),
    Case(lines: "1\n1.0\n1e0\n2\n", options: ["--type", "number"], plays: 1),
    Case(lines: "1\nmany\n2\n", options: ["--type", "number"], plays: 1),
    Case(lines: "{\"a\":1,\"b\":2}\n{ \"b\": 2, \"a\": 1 }\n{}\n", options: ["--type", "json"], plays: 1),
    Case(lines: "on\nyes\n0\n", options: ["--type", "bool"], plays: 1),
    Case(lines: "x\nx\nx\n", options: ["--type", "event"], plays: 3),
    Case(lines: "a\nb\nc\nd\n", options: ["--throttle", "1 h"], plays: 1),
    Case(lines: "a\nb\nc\nb\n", options: ["--debounce", "100 ms"], plays: 1),
    Case(lines: "ok\nbad\n", options: ["--to", "bad", "--delay", "100 ms"], plays: 1),
    Case(lines: "ok\nbad\nok\n", options: ["--to", "bad", "--delay", "100 ms"], plays: 0),
    // Nothing is ever in time for that.
    Case(lines: "a\nb\n", options: ["--delay", "50 ms", "--fresh", "0 s"], plays: 0),
    Case(lines: "ok\nfailed\nfailing\nok\n", options: ["--matches", "^fail"], plays: 2),
    Case(lines: "1\n-2\n2\n-3\n", options: ["--matches", "-"], plays: 2),
    Case(lines: "a\nb\nc\n", options: ["--overlap", "ignore"], plays: 1),
  ])
  func `lines of standard input are the value`(test: Case) throws {
    let home = try Home()
    try home.write("click.wav", Recording.click)
    let out = home("out.raw")
    let program = try home.start(
      ["watch", "./click.wav", "--device", "file:\(out),raw"] + test.options, input: .text(test.lines))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(try Recording(raw: out).clicks == test.plays)
  }

  @Test func `a line that does not parse is reported with its number`() throws {
    let home = try Home()
    let program = try home.run(
      "watch", "tick", "--device", "none", "--above", "5", input: .text("1\nmany\n\n2\n"))
    #expect(try program.wait() == .exit(0))
    #expect(program.errors.contains("standard input: line 2: 'many' is not a number"))
  }

  @Test(arguments: [
    ("a\n", true), ("a", true), ("a\na\n", false), ("", false),
  ])
  func `a single line is no change, and watch says so`(lines: String, isSaid: Bool) throws {
    #expect(try says(Self.singleLine, lines, []) == isSaid)
  }

  @Test(arguments: [["--initial"], ["--type", "event"]])
  func `a single line that plays needs no explanation`(options: [String]) throws {
    #expect(try !says(Self.singleLine, "a\n", options))
  }

  private static let singleLine = "soundd: a single line came, which is no change"

  /// Whether `watch` says something about these lines, and how to hear them.
  private func says(_ words: String, _ lines: String, _ options: [String]) throws -> Bool {
    let home = try Home()
    let program = try home.start(["watch", "tick", "--device", "none"] + options, input: .text(lines))
    #expect(try program.wait() == .exit(0))
    return program.errors.contains(words) && program.errors.contains("--initial")
  }

  @Test func `the content of a file is the value`() throws {
    let home = try Home()
    try home.write("click.wav", Recording.click)
    try home.write("watched", "1")
    let out = home("out.raw")
    let program = try home.start(
      "watch", "./click.wav", "--file", "watched", "--device", "file:\(out),raw", input: .nothing)
    try program.waitForErrors("soundd: ready: ")
    try home.replace("watched", "2")
    try eventually("the change has been played") { (try? Recording(raw: out).clicks) == 1 }
    program.send(signal: SIGTERM)
    #expect(try program.wait() == .exit(0))
  }

  @Test(arguments: [
    ("watched", "watched, which does not exist yet\n"),
    ("a/b/watched", "a/b/watched: the folder HOME/a/b does not exist: create it (mkdir -p HOME/a/b), "),
  ])
  func `it says which file is missing, and waits for it`(file: String, message: String) throws {
    let home = try Home()
    try home.write("click.wav", Recording.click)
    let out = home("out.raw")
    let program = try home.start("watch", "./click.wav", "--file", file, "--device", "file:\(out),raw")
    try program.waitForErrors("soundd: ready: ")
    let expected = "soundd: waiting for \(home.path)/" + message.replacingOccurrences(of: "HOME", with: home.path)
    #expect(program.errors.components(separatedBy: expected).count == 2, "\(program.errors)")
    try home.write(file, "1")
    try eventually("the first content has been played") { (try? Recording(raw: out).clicks) == 1 }
    program.send(signal: SIGTERM)
    #expect(try program.wait() == .exit(0))
    #expect(program.errors.components(separatedBy: "waiting for").count == 2)
  }

  @Test func `links in a circle are no file to wait for`() throws {
    let home = try Home()
    try FileManager.default.createSymbolicLink(atPath: home("watched"), withDestinationPath: "watched")
    let program = try home.start("watch", "tick", "--file", "watched", "--device", "none")
    try program.waitForErrors("soundd: ready: ")
    #expect(program.errors.contains("watched: Too many levels of symbolic links\n"))
    #expect(!program.errors.contains("waiting"), "\(program.errors)")
  }

  @Test func `a file that is there is not waited for`() throws {
    let home = try Home()
    try home.write("watched", "1")
    let program = try home.start("watch", "tick", "--file", "watched", "--device", "none")
    try program.waitForErrors("soundd: ready: ")
    #expect(!program.errors.contains("waiting"))
  }

  @Test(arguments: [
    (["--delay", "1m"], #"a time is "250 ms", "2 s", "5 min" or "1 h" (did you mean '1 min'?)"#),
    (["--volume", "50%"], #"a level such as "-6 dB" or a factor of 0 to 1 (did you mean '0.5'?)"#),
  ])
  func `an option that is no time or level says how to write one`(options: [String], text: String) throws {
    let program = try Home().run(["watch", "tick"] + options)
    #expect(try program.wait() == .exit(64))
    #expect(program.errors.split(separator: "\n")[0].contains(text), "\(program.errors)")
  }

  @Test func `the sound is as loud as it is told, and where`() throws {
    let home = try Home()
    try home.write("flat.wav", Recording.constant(8192, seconds: 0.1))
    let out = home("out.raw")
    let program = try home.start(
      "watch", "./flat.wav", "--device", "file:\(out),raw", "--volume", "-20 dB", "--pan", "-1", "--fade-in", "10 ms",
      "--fade-out", "20 ms", "--importance", "high", input: .text("1\n2\n"))
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let heard = try Recording(raw: out)
    // 0.25 × 10^(-20/20) × √2 on the left, nothing on the right.
    let peak = heard.samples.max() ?? 0
    #expect(abs(peak - 0.035_355) < 1e-5)
    #expect(stride(from: 1, to: heard.samples.count, by: 2).allSatisfy { heard.samples[$0] == 0 })
    // 10 ms to the full level; the first frame of the ramp is silent.
    let begin = try #require(heard.onset())
    #expect(abs(heard.samples[2 * (begin + 239)] - peak / 2) < 1e-5)
    #expect(abs(heard.samples[2 * (begin + 480)] - peak) < 1e-7)
  }

  @Test(arguments: [
    ["--above", "x"], ["--above", "nan"], ["--above"], ["--above", "3", "--below", "5"], ["--hysteresis", "1"],
    ["--above", "5", "--type", "text"], ["--type", "number", "--to", "abc"], ["--matches", "a("], ["--matches", ""],
    ["--when", "up"], ["--when", "stale"], ["--debounce", "5"], ["--volume", "+3 dB"], ["--fade-out", "61 s"],
    ["--loop"], ["--loop-every", "1 s"], ["--loop", "--to", "a", "--loop-every", "0 s"], ["--cancel", "x"],
  ])
  func `options that cannot work are usage errors`(options: [String]) throws {
    let home = try Home()
    let program = try home.start(["watch", "tick", "--device", "none"] + options)
    #expect(try program.wait() == .exit(64))
    #expect(program.errors.hasPrefix("soundd: "))
    #expect(options.contains { $0.hasPrefix("--") && program.errors.contains($0) })
  }

  @Test func `a sound that is missing is no input, a corrupt one bad data`() throws {
    let home = try Home()
    try home.write("corrupt.wav", "RIFF? No.")
    for sound in ["nosuch", "./missing.wav"] {
      for command in [["watch", sound], ["play", "--local", sound]] {
        let program = try home.start(command + ["--device", "none"])
        #expect(try program.wait() == .exit(66))
        #expect(program.errors.contains(sound == "nosuch" ? "'nosuch'" : "missing.wav"))
      }
    }
    for command in [["watch", "./corrupt.wav"], ["play", "--local", "./corrupt.wav"]] {
      let program = try home.start(command + ["--device", "none"])
      #expect(try program.wait() == .exit(65))
      #expect(program.errors.contains("corrupt.wav"))
    }
  }
}
