import Foundation
import Testing

/// Machines without the device that was asked for.
struct DeviceTests {
  private static let configuration = "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n"

  @Test func `without its device the daemon says so and goes on by the clock`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "hw:31")
    #expect(daemon.errors.contains("soundd: cannot play on 'hw:31': "))
    #expect(daemon.errors.contains("soundd devices"))
    let device = try home.status()["device"] as? [String: Any]
    #expect(device?["name"] as? String == "hw:31")
    #expect(device?["state"] as? String == "missing")
    #expect((device?["problem"] as? String)?.hasPrefix("cannot play on 'hw:31': ") == true)
    #expect(device?["errno"] as? Int == Int(ENOENT))
    let lost = try #require(device?["since"] as? String)
    #expect(JSON.isTime(lost))
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    try eventually("no device took the sound in time") { try home.trigger("a")["dropped"] as? Int == 1 }
    #expect(try home.played("a") == 0)
    #expect(try home.status()["voices"] as? Int == 0)
    // It has been tried again meanwhile, and is missing since the first time.
    // The civil time of the same moment, read anew.
    let again = (try home.status()["device"] as? [String: Any])?["since"] as? String
    let times = try [lost, #require(again)].map { try #require(JSON.time($0)) }
    #expect(abs(times[1].timeIntervalSince(times[0])) < 0.1)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `a PCM that appears after the start is found, and the next sound is heard on it`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "late")
    #expect(daemon.errors.contains("soundd: cannot play on 'late': "))
    let out = home("out.raw")
    try home.write(
      ".asoundrc", "pcm.late { type file file \"\(out)\" format raw slave.pcm { type null } }\n")
    try eventually("the PCM is found") {
      let device = try home.status()["device"] as? [String: Any]
      return device?["state"] as? String != "missing"
    }
    try daemon.waitForErrors("playing on 'late' again: ")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    try eventually("it was heard") { (try home.status()["latency"] as? [String: Any])?["count"] as? Int == 1 }
  }

  @Test(arguments: [["watch", "tick", "--device", "hw:31"], ["play", "--local", "tick", "--device", "hw:31"]])
  func `a command that is of no use without its device ends`(arguments: [String]) throws {
    let home = try Home()
    let program = try home.start(arguments)
    #expect(try program.wait() == .exit(69))
    #expect(program.errors.hasPrefix("soundd: cannot play on 'hw:31': "))
  }

  @Test func `play --local plays the whole sound and returns`() throws {
    let home = try Home()
    let out = home("out.raw")
    let program = try home.run("play", "--local", "success", "--device", "file:\(out),raw")
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let heard = try Recording(raw: out)
    let success = try Recording(shipped: "success")
    var expected = Recording(silence: heard.frames)
    try expected.add(success, at: try heard.start(of: success))
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `a file device is described by what was negotiated`() throws {
    let home = try Home()
    _ = try home.daemon(Self.configuration, "--device", "file:\(home("out.raw")),raw")
    func device() throws -> [String: Any]? { try home.status()["device"] as? [String: Any] }
    // The audio thread may still be awake when the socket answers first.
    try eventually("the device rests") { try device()?["state"] as? String == "idle" }
    let device = try device()
    #expect(device?["format"] as? String == "float32")
    #expect(device?["rate"] as? Int == 48_000)
    #expect(device?["channels"] as? Int == 2)
    #expect(device?["period_frames"] as? Int ?? 0 > 0)
    #expect(device?["buffer_frames"] as? Int ?? 0 > 0)
  }

  @Test func `a device that nobody needs is given back, and opened again for the next sound`() throws {
    let home = try Home()
    let out = home("out.raw")
    let daemon = try home.daemon(
      "[output]\nkeep_open = \"never\"\n" + Self.configuration, "--device", "file:\(out),raw")
    func state() throws -> String? { try (home.status()["device"] as? [String: Any])?["state"] as? String }
    func holds(_ file: String) throws -> Bool {
      let folder = "/proc/\(daemon.pid)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == file
      }
    }
    let connection = try home.connect()
    #expect(try connection.ask("a=0\nsync") == "ok")
    for number in 1...3 {
      #expect(try connection.ask("a=\(number)\nsync") == "ok")
      try eventually("it was heard and the device is given back") {
        let heard = (try home.status()["latency"] as? [String: Any])?["count"] as? Int
        return try heard == number && state() == "closed"
      }
      // A thread of its own closes it.
      try eventually("its file is closed") { try !holds(out) }
      #expect(try home.played("a") == number)
    }
    // ALSA's file plugin empties the file when it is opened: it holds the last sound alone.
    let heard = try Recording(raw: out)
    let tick = try Recording(shipped: "tick")
    var expected = Recording(silence: heard.frames)
    try expected.add(tick, at: try heard.start(of: tick))
    #expect(heard.difference(from: expected) == nil)
    #expect(try home.status()["xruns"] as? Int == 0)
  }

  /// A sink that sleeps loses what it gets while it wakes up: here the first 200 ms after the device was opened.
  @Test(arguments: [("", false, 0), ("wake = \"250 ms\"\n", true, 1)])
  func `a click is heard whole on a sink that slept, if a silence wakes it`(
    key: String, isHeard: Bool, woken: Int
  ) throws {
    let home = try Home()
    let out = home("out.raw")
    _ = try home.daemon("[output]\n" + key + Self.configuration, "--device", "file:\(out),raw")
    let connection = try home.connect()
    #expect(try connection.ask("a=0\na=1\nsync") == "ok")
    let tick = try Recording(shipped: "tick")
    try eventually("it is written") { try Recording(raw: out).frames >= tick.frames + (isHeard ? 12_000 : 0) }
    let heard = try Recording(raw: out)
    #expect(try heard.start(of: tick) == (isHeard ? 12_000 : 0))
    #expect(try home.played("a") == 1)
    let status = try home.status()
    #expect(status["woken"] as? Int == woken)
    #expect((status["latency"] as? [String: Any])?["count"] as? Int == 1 - woken)
    #expect((status["device"] as? [String: Any])?["wake"] as? Int == (isHeard ? 250_000 : 0))
  }

  @Test func `a device is kept open as long as it is told`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      "[output]\nkeep_open = \"300 ms\"\n" + Self.configuration, "--device", "file:\(home("out.raw")),raw")
    func state() throws -> String? { try (home.status()["device"] as? [String: Any])?["state"] as? String }
    try eventually("the device is given back though nothing was played") { try state() == "closed" }
    #expect(daemon.errors.contains("ready: 1 trigger, file:"))
  }
}
