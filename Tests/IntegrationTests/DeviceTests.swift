import Foundation
import Testing

/// Machines without the device that was asked for.
struct DeviceTests {
  private static let configuration = "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n"

  @Test func `without its device the daemon says so and goes on by the clock`() throws {
    let home = try Home()
    let daemon = try home.daemon(Self.configuration, "--device", "hw:31")
    #expect(daemon.errors.contains("soundd: cannot play on 'hw:31': "))
    #expect(daemon.errors.contains("aplay -L"))
    let device = try home.status()["device"] as? [String: Any]
    #expect(device?["name"] as? String == "hw:31")
    #expect(device?["state"] as? String == "missing")
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    #expect(try home.run("set", "a=2").wait() == .exit(0))
    #expect(try home.played("a") == 1)
    try eventually("the sound is over by the clock") { try home.status()["voices"] as? Int == 0 }
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
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
    // The audio thread may not have come to rest when the socket answers first.
    try eventually("the device rests") { try device()?["state"] as? String == "idle" }
    let device = try device()
    #expect(device?["format"] as? String == "float32")
    #expect(device?["rate"] as? Int == 48_000)
    #expect(device?["channels"] as? Int == 2)
    #expect(device?["period_frames"] as? Int ?? 0 > 0)
    #expect(device?["buffer_frames"] as? Int ?? 0 > 0)
  }
}
