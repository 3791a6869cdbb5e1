import Foundation
import TestSupport
import Testing

/// On a real sound server: PipeWire, and ALSA's plugin for it.
@Suite(
  .serialized,
  .enabled(
    if: SoundServer.isAvailable,
    "needs pipewire, wireplumber and pipewire-alsa, which 'make test' installs where PulseAudio is not"))
struct SoundServerTests {
  /// A deep buffer: these tests ask what is heard, not when, and the machine may be busy.
  private static let configuration =
    "[output]\nlatency = \"100 ms\"\n[[trigger]]\nvalue = \"a\"\nsound = \"noise\"\n"

  private let home: Home
  /// Half a second that is like no other part of itself, as `sox` decodes it.
  private let noise: Recording

  init() throws {
    home = try Home()
    // Of 16 bits, all of which sox keeps.
    let samples = TestSupport.noise(frames: 24_000, seed: 7, peak: 0.2).map { Int16($0 * 32_767) }
    try home.write("config/soundd/sounds/noise.wav", WAVBuilder.int16(samples, channels: 2, rate: 48_000))
    noise = try Recording(decoding: home("config/soundd/sounds/noise.wav"))
  }

  // MARK: What is heard

  @Test(arguments: ["default", "pipewire"])
  func `changes are heard sample for sample, at rest and while another sound plays`(device: String) throws {
    let server = try SoundServer(in: home)
    let daemon = try home.daemon(Self.configuration, "--device", device)
    let connection = try home.connect()
    try connection.send(line: "a=0")
    var reasons: [String] = []
    // A machine that is busy may leave out a part, and so may the server; it does not do so each time.
    while reasons.count < 5 {
      let heard = try server.record {
        try change(connection, to: "\(reasons.count).1")
        try eventually("it plays") { try state() == "running" }
        poll(nil, 0, 150)
        try change(connection, to: "\(reasons.count).2")
        try waitForSilence()
      }
      guard let reason = difference(heard) else { break }
      reasons.append(reason)
    }
    #expect(reasons.count < 5, "\(reasons)")
    #expect(try home.played("a") == 2 * min(5, reasons.count + 1))
    withExtendedLifetime(daemon) {}
  }

  /// What makes a recording other than two plays of the sound, the second while the first one lasts.
  private func difference(_ heard: Recording) -> String? {
    do {
      let first = try heard.start(of: noise)
      var expected = Recording(silence: heard.frames)
      try expected.add(noise, at: first)
      guard let second = heard.difference(from: expected) else { return "the second play is not to be heard" }
      guard second < first + noise.frames else { return "the second play is late" }
      try expected.add(noise, at: second)
      guard let frame = heard.difference(from: expected) else { return nil }
      return "from frame \(frame) on it differs; the plays began at \(first) and \(second)"
    } catch {
      return "\(error)"
    }
  }

  @Test(.disabled(if: Program.hasTickingThread))
  func `when all is silent no thread wakes up`() throws {
    let server = try SoundServer(in: home)
    let daemon = try home.daemon(Self.configuration, "--device", "default")
    let connection = try home.connect()
    try change(connection, to: "0")
    try change(connection, to: "1")
    try waitForSilence()
    // The server puts its sink to sleep some seconds later, and says so.
    try daemon.waitForRest(seconds: 3)
    try change(connection, to: "2")
    try eventually("it is heard") { try home.played("a") == 2 }
    withExtendedLifetime(server) {}
  }

  // MARK: When it goes away

  /// A daemon on a server of its own, in mid-sound.
  private func startPlaying() throws -> (server: SoundServer, daemon: Program, connection: Connection) {
    let server = try SoundServer(in: home)
    let daemon = try home.daemon(Self.configuration, "--device", "default")
    let connection = try home.connect()
    try change(connection, to: "0")
    try change(connection, to: "1")
    try eventually("it plays") { try state() == "running" }
    return (server, daemon, connection)
  }

  @Test func `when it is killed the daemon says so, goes on by the clock, and comes back by itself`() throws {
    let (server, daemon, connection) = try startPlaying()
    try server.kill()
    try daemon.waitForErrors("playing by the clock")
    #expect(try state() == "missing")
    for number in 2...5 {
      try change(connection, to: "\(number)")
      try eventually("change \(number) is settled") { try home.decided("a") == number }
    }
    try eventually("the sounds end by the clock") { try home.status()["voices"] as? Int == 0 }
    try server.start()
    try eventually("it comes back without being asked") { try state() != "missing" }
    try expectToBeHeard(server, connection, "6")
    #expect(try home.decided("a") == 6)
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `when it is killed at rest all commands say so at once, and no sound is lost after its return`() throws {
    let server = try SoundServer(in: home)
    let daemon = try home.daemon(Self.configuration, "--device", "default")
    let connection = try home.connect()
    try change(connection, to: "0")
    for number in 1...3 {
      try expectToBeHeard(server, connection, "\(number)")
      try waitForSilence()
      try server.kill()
      #expect(try state() == "missing")
      let doctor = try home.run("doctor")
      #expect(try doctor.wait() == .exit(69))
      #expect(
        String(decoding: doctor.output, as: UTF8.self).contains("cannot play on 'default': PipeWire does not run"))
      #expect(try home.run("devices").wait() == .exit(69))
      try server.start()
      #expect(try state() == "idle")
    }
    try expectToBeHeard(server, connection, "4")
    #expect(try home.played("a") == 4)
    withExtendedLifetime(daemon) {}
  }

  @Test func `a server that starts after the daemon is found`() throws {
    let daemon = try home.daemon(Self.configuration, "--device", "default")
    #expect(daemon.errors.contains("cannot play on 'default'"))
    #expect(try state() == "missing")
    let connection = try home.connect()
    try change(connection, to: "0")
    let server = try SoundServer(in: home)
    try eventually("it is found without a sound") { try state() != "missing" }
    try expectToBeHeard(server, connection, "1")
    #expect(try home.played("a") == 1)
  }

  /// What Debian does for PulseAudio: ALSA's `default` is another device until the server runs.
  private func setDefault(toServer: Bool) throws {
    if toServer {
      try FileManager.default.removeItem(atPath: home(".asoundrc"))
    } else {
      try home.write(".asoundrc", "pcm.!default { type null }\n")
    }
  }

  @Test func `a device that becomes the server's when that starts is opened again, and a lost server is waited for`()
    throws
  {
    try setDefault(toServer: false)
    let daemon = try home.daemon(
      Self.configuration + "[[trigger]]\nvalue = \"b\"\nto = \"1\"\nsound = \"noise\"\nloop = true\n", "--device",
      "default")
    #expect(try playingServer() == nil)
    #expect(try state() == "idle")
    let connection = try home.connect()
    try change(connection, to: "0")
    // At rest.
    try setDefault(toServer: true)
    let server = try SoundServer(in: home)
    try eventually("the server plays the device") { try playingServer() == "PipeWire" }
    try expectToBeHeardSoon(server, connection, "1")
    // A server that is gone is waited for, and then another device is taken.
    try setDefault(toServer: false)
    try server.kill()
    try change(connection, to: "2")
    try eventually("the server is waited for") { try problem()?.contains("its sound server does not run") == true }
    try eventually("another device is taken") { try state() != "missing" }
    #expect(try playingServer() == nil)
    // Under an alarm that never pauses.
    try connection.send(line: "b=1")
    #expect(try connection.ask("sync") == "ok")
    try setDefault(toServer: true)
    try server.start()
    try eventually("the server plays the alarm") { try playingServer() == "PipeWire" && state() == "running" }
    #expect(try home.status()["voices"] as? Int == 1)
    // A server that comes back soon gets the device back, whatever ALSA would open meanwhile.
    try connection.send(line: "b=0")
    try waitForSilence()
    try setDefault(toServer: false)
    try server.kill()
    try change(connection, to: "3")
    try eventually("the server is waited for") { try problem()?.contains("its sound server does not run") == true }
    try setDefault(toServer: true)
    try server.start()
    try eventually("the server plays again") { try playingServer() == "PipeWire" }
    try expectToBeHeardSoon(server, connection, "4")
    withExtendedLifetime(daemon) {}
  }

  @Test func `when it freezes the socket answers and the end comes in time; after a thaw it plays again`() throws {
    let (server, daemon, connection) = try startPlaying()
    try server.freeze()
    var slowest = 0.0
    // Long enough for the daemon to lose patience with the server, and to try it anew.
    for number in 2...40 {
      slowest = max(slowest, try seconds { try change(connection, to: "\(number)") })
      poll(nil, 0, 100)
    }
    try daemon.waitForErrors("playing by the clock")
    #expect(slowest < atMost(1), "the socket kept silent for \(slowest) s")
    #expect(try home.decided("a") == 40)
    // From then on the device is tried, and no play counts as heard.
    let played = try home.played("a")
    for number in 41...70 {
      try change(connection, to: "\(number)")
      poll(nil, 0, 100)
    }
    #expect(try home.played("a") == played)
    #expect(try state() == "missing")
    #expect(daemon.errors.split(separator: "\n").count { $0.contains("cannot play on 'default'") } == 1)
    try eventually("the sounds end by the clock") { try home.status()["voices"] as? Int == 0 }
    try server.thaw()
    try eventually("it plays again") {
      try change(connection, to: "again \(Int.random(in: 0..<1_000_000))")
      poll(nil, 0, 100)
      return try state() == "running"
    }
    try waitForSilence()
    try expectToBeHeard(server, connection, "heard")
    try change(connection, to: "last")
    try eventually("it plays") { try state() == "running" }
    try server.freeze()
    let time = try seconds {
      daemon.send(signal: SIGTERM)
      try daemon.wait()
    }
    #expect(try daemon.wait() == .exit(0))
    // 200 ms are promised; the rest is for a machine that is busy with other tests.
    #expect(time < atMost(0.4), "it left after \(time) s")
  }

  @Test func `a desktop's mute of soundd itself is found, with the command that ends it`() throws {
    let server = try SoundServer(in: home)
    let daemon = try home.daemon(Self.configuration, "--device", "default")
    func doctor() throws -> String {
      let doctor = try home.run("doctor")
      return String(decoding: doctor.output, as: UTF8.self)
    }
    let fine = try doctor()
    #expect(fine.contains("soundd is not muted in the sound server's mixer, volume 100 %"), "\(fine)")
    let list = try home.start(program: "wpctl", ["status"])
    try list.wait()
    let streams = String(decoding: list.output, as: UTF8.self).split(separator: "\n").filter {
      $0.contains(". soundd ")
    }
    let id = try #require(streams.last?.split { !$0.isNumber }.first.map(String.init), "the stream has soundd's name")
    for (arguments, finding) in [
      (["set-mute", id, "1"], "soundd is muted in"), (["set-volume", id, "0"], "volume is 0 %"),
    ] {
      try home.start(program: "wpctl", arguments).wait()
      let silent = try doctor()
      #expect(silent.contains(finding), "\(silent)")
      let remedy = try #require(
        silent.split(separator: "\n").first { $0.contains("→ wpctl") }?.split(separator: "→ ").last)
      try home.start(program: "/bin/sh", ["-c", String(remedy)]).wait()
      #expect(try doctor().contains("soundd is not muted in the sound server's mixer, volume 100 %"))
    }
    withExtendedLifetime((server, daemon)) {}
  }

  // MARK: Steps

  /// Sets the value; returns once it has been decided on.
  private func change(_ connection: Connection, to value: String) throws {
    try connection.send(line: "a=\(value)")
    #expect(try connection.ask("sync") == "ok")
  }

  private func playingServer() throws -> String? {
    (try home.status()["device"] as? [String: Any])?["server"] as? String
  }

  private func problem() throws -> String? {
    (try home.status()["device"] as? [String: Any])?["problem"] as? String
  }

  private func state() throws -> String? { (try home.status()["device"] as? [String: Any])?["state"] as? String }

  private func waitForSilence() throws {
    try eventually("all is silent") {
      let status = try home.status()
      return status["voices"] as? Int == 0 && (status["device"] as? [String: Any])?["state"] as? String == "idle"
    }
  }

  /// A change is heard, and most of it.
  private func expectToBeHeard(_ server: SoundServer, _ connection: Connection, _ value: String) throws {
    let count = try soundingSamples(server, connection, value)
    #expect(2 * count >= wholeSamples, "only \(count) of \(wholeSamples) samples are to be heard")
  }

  /// The same of a change or one of the two that follow it, because a busy machine may leave out a part of a sound.
  private func expectToBeHeardSoon(_ server: SoundServer, _ connection: Connection, _ value: String) throws {
    let counts = [0, 1, 2].lazy.map { try? soundingSamples(server, connection, "\(value).\($0)") }
    #expect(counts.contains { 2 * ($0 ?? 0) >= wholeSamples }, "value \(value)")
  }

  private var wholeSamples: Int { noise.samples.count { $0 != 0 } }

  /// Changes the value; returns how many samples of what was recorded meanwhile are not silent.
  private func soundingSamples(_ server: SoundServer, _ connection: Connection, _ value: String) throws -> Int {
    let heard = try server.record {
      try change(connection, to: value)
      try waitForSilence()
    }
    return heard.samples.count { $0 != 0 }
  }

  private func seconds(_ body: () throws -> Void) throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }
}
