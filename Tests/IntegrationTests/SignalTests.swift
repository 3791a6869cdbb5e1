import Foundation
import Testing
import TestSupport

/// The end by a signal, and the reload.
struct SignalTests {
  /// SIGTERM while a sound of five seconds plays; returns how long it took to leave, in seconds.
  private func leave(_ home: Home, _ signal: Int32) throws -> Double {
    let out = home("out.raw")
    try home.write("config/soundd/sounds/long.wav", Recording.sine(seconds: 5))
    let daemon = try home.daemon(
      "[[trigger]]\nvalue = \"a\"\nsound = \"long\"\n", "--device", "file:\(out),raw")
    let connection = try home.connect()
    try connection.send(line: "a=1\na=2")
    #expect(try connection.ask("sync") == "ok")
    try eventually("a fifth of a second has been recorded") {
      (try? Recording(raw: out).frames) ?? 0 > 9600
    }
    let start = DispatchTime.now().uptimeNanoseconds
    daemon.send(signal: signal)
    #expect(try daemon.wait() == .exit(0))
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal fades out what sounds and ends within 200 ms`(signal: Int32) throws {
    var home = try Home()
    var seconds = try leave(home, signal)
    if seconds > atMost(0.2) {
      print("It took \(seconds) s on a machine that may be busy: once more.")
      home = try Home()
      seconds = try leave(home, signal)
    }
    #expect(seconds <= atMost(0.2))
    #expect(!FileManager.default.fileExists(atPath: home.socket))

    let heard = try Recording(raw: home("out.raw"))
    let clip = try Recording(decoding: home("config/soundd/sounds/long.wav"))
    // A fade of 50 ms adds the steps of its own slope, a quarter of full scale over 2400 frames at most.
    #expect(heard.largestStep <= clip.largestStep + 0.25 / 2400 + 1e-6)
    // It ends in silence, not in the middle of a swing.
    #expect(heard.samples.suffix(2).allSatisfy { abs($0) <= 0.25 / 48 })
    #expect(heard.frames > 9600 && heard.frames < clip.frames)
  }

  @Test(arguments: [[], ["/usr/bin/nohup"]])
  func `watch ends when its terminal is closed, unless nohup runs it`(wrapper: [String]) throws {
    let home = try Home()
    try home.write("click.wav", Recording.click)
    let out = home("out.raw")
    let program = try home.start(
      ["watch", "./click.wav", "--file", "f", "--device", "file:\(out),raw"], through: wrapper)
    try program.waitForErrors("soundd: ready: ")
    program.send(signal: SIGHUP)
    if !wrapper.isEmpty {
      try home.write("f", "still here")
      try eventually("it has been played") { (try? Recording(raw: out).clicks) == 1 }
      program.send(signal: SIGTERM)
    }
    #expect(try program.wait() == .exit(0))
    #expect(!program.errors.contains("configuration"))
  }

  @Test func `files that change while it fades out disturb nothing`() throws {
    let home = try Home()
    try home.write("config/soundd/sounds/long.wav", Recording.sine(seconds: 5))
    try home.write("watched", "0")
    let daemon = try home.daemon(
      "[value.a]\nfile = \"\(home("watched"))\"\n[[trigger]]\nvalue = \"a\"\nsound = \"long\"\n", "--device", "none")
    try home.replace("watched", "1")
    try eventually("the change has been played") { try home.played("a") == 1 }
    daemon.send(signal: SIGTERM)
    for number in 2..<400 { try home.replace("watched", "\(number)") }
    #expect(try daemon.wait() == .exit(0), "\(daemon.errors)")
  }

  @Test func `further signals while it fades out neither keep it nor bring anything new`() throws {
    let home = try Home()
    try home.write("config/soundd/sounds/long.wav", Recording.sine(seconds: 5))
    let manager = try NotifySocket(home("notify"))
    let daemon = try home.daemon(
      "[[trigger]]\nvalue = \"a\"\nsound = \"long\"\n", "--device", "none",
      environment: ["NOTIFY_SOCKET": manager.path])
    let connection = try home.connect()
    try connection.send(line: "a=1\na=2")
    #expect(try connection.ask("sync") == "ok")
    daemon.send(signal: SIGTERM)
    while try !manager.message().contains("STOPPING=1") {}
    for signal in [SIGHUP, SIGTERM, SIGINT] { daemon.send(signal: signal) }
    #expect(try daemon.wait() == .exit(0), "\(daemon.errors)")
    #expect(!daemon.errors.contains("reloaded"))
  }

  // MARK: Reload

  private static let configuration =
    "[[trigger]]\nvalue = \"build\"\nsounds = { passed = \"success\", failed = \"error\" }\n"

  @Test func `a bad file changes nothing and is reported`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.run("set", "build=passed").wait() == .exit(0))
    let file = try home.write("config/soundd/config.toml", Self.configuration + "soudn = 1\nwhen = 2\n")
    daemon.send(signal: SIGHUP)
    try daemon.waitForErrors("the configuration was not changed")
    #expect(daemon.errors.contains("\(file):4:1: "))
    #expect(daemon.errors.contains("\(file):5:8: "))
    #expect(daemon.errors.contains("did you mean 'sound'?"))
    let reload = try home.run("reload")
    #expect(try reload.wait() != .exit(0))
    #expect(reload.errors.contains("\(file):4:1: "))
    #expect(try home.value("build")["value"] as? String == "passed")
    #expect(try home.run("set", "build=failed").wait() == .exit(0))
    #expect(try home.played("build") == 1)
  }

  @Test func `a good file keeps the values and what stayed the same`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "none")
    #expect(try home.run("set", "build=passed").wait() == .exit(0))
    #expect(try home.run("set", "build=failed").wait() == .exit(0))
    try home.write(
      "config/soundd/config.toml",
      "[[trigger]]\nname = \"new\"\nvalue = \"build\"\nto = \"passed\"\nsound = \"tick\"\n" + Self.configuration)
    daemon.send(signal: SIGHUP)
    try daemon.waitForErrors("reloaded: 2 triggers")
    let value = try home.value("build")
    #expect(value["value"] as? String == "failed")
    #expect(value["updates"] as? Int == 2)
    #expect(try home.played("build") == 1)
    #expect(try home.played("new") == 0)
    #expect(try home.run("set", "build=passed").wait() == .exit(0))
    #expect(try home.played("build") == 2)
    #expect(try home.played("new") == 1)
  }

  @Test func `a wait that goes on over a reload plays its own sound`() throws {
    let home = try Home()
    let out = home("out.raw")
    let waiting = "[[trigger]]\nvalue = \"a\"\nsound = \"success\"\ndebounce = \"500 ms\"\n"
    let daemon = try home.daemon(waiting, "-", "--device", "file:\(out),raw", input: .pipe)
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    try home.write("config/soundd/config.toml", "[[trigger]]\nvalue = \"b\"\nsound = \"error\"\n" + waiting)
    #expect(try home.run("reload").wait() == .exit(0))
    daemon.closeInput()
    #expect(try daemon.wait() == .exit(0))
    let heard = try Recording(raw: out)
    let success = try Recording(shipped: "success")
    var expected = Recording(silence: heard.frames)
    try expected.add(success, at: try heard.start(of: success))
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `a file source that a reload brings in, changes or takes away follows`() throws {
    let home = try Home()
    try home.write("one", "1")
    try home.write("two", "2")
    func configuration(_ file: String) -> String {
      "[value.a]\nfile = \"\(home(file))\"\n[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n"
    }
    _ = try home.daemon(configuration("one"), "--device", "none")
    #expect(try home.value("a")["value"] as? String == "1")
    try home.write("config/soundd/config.toml", configuration("two"))
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.value("a")["value"] as? String == "2")
    try home.replace("one", "not looked at")
    try home.replace("two", "3")
    try eventually("the new file is followed") { try home.value("a")["value"] as? String == "3" }
    try home.write("config/soundd/config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.run("set", "a=4").wait() == .exit(0))
  }
}
