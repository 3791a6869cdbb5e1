import Foundation
import SoundTrigger
import TestSupport
import Testing

@Suite struct SoundPlayerTests {
  static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../sounds").standardized.path

  @Test func `a sound that was played is heard before the wait ends`() async throws {
    let folder = TemporaryFolder()
    let path = folder("out.raw")
    do {
      let player = try SoundPlayer(device: "file:\(path),raw", folders: [Self.shipped])
      player.play(.selection(.on))
      await player.silence()
    }
    let clip = try ClipLoader(rate: 48_000).load(path: Self.shipped + "/selection-on.wav")
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let written = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    let isExact = Array(written.prefix(clip.samples.count)) == clip.samples
    #expect(isExact)
  }

  @Test func `a player that is dropped at once ends every time`() throws {
    for _ in 0..<(isQuick ? 100 : 2_000) { _ = try SoundPlayer(device: "none", folders: []) }
  }

  @Test func `the wait for silence counts what was started before it`() async throws {
    let player = try SoundPlayer(device: "none", folders: [Self.shipped])
    try player.load(.sound("tick"))
    for _ in 0..<20 {
      player.play(.sound("tick"))
      await player.silence()
      #expect(player.core.isSilent)
    }
  }

  @Test func `the wait for silence ends although other threads flood the player`() async throws {
    let player = try SoundPlayer(device: "none", folders: [Self.shipped])
    try player.load(.sound("tick"))
    let rounds = isQuick ? 3 : 20
    for _ in 0..<rounds {
      await withTaskGroup { group in
        for _ in 0..<2 { group.addTask { for _ in 0..<3_000 { player.play(.sound("tick")) } } }
        for _ in 0..<4 { group.addTask { await player.silence() } }
      }
    }
    await player.silence()
    #expect(player.core.isSilent)
  }

  @Test func `the volume stays within its range, and a mute keeps it`() throws {
    let player = try SoundPlayer(device: "none", folders: [])
    player.volume = 0.5
    player.isMuted = true
    #expect(player.volume == 0.5)
    player.volume = 0.25
    #expect(player.isMuted)
    player.isMuted = false
    #expect(player.volume == 0.25)
    for (volume, result) in [(2, 1), (-1, 0), (.nan, 0), (1, 1)] as [(Double, Double)] {
      player.volume = volume
      #expect(player.volume == result)
    }
  }

  @Test func `a handler of problems may end triggers when it is replaced`() throws {
    final class EndsAtItsEnd: Sendable {
      let player: SoundPlayer
      init(_ player: SoundPlayer) { self.player = player }
      deinit { player.stopAll() }
    }
    let player = try SoundPlayer(device: "none", folders: [])
    let capture = EndsAtItsEnd(player)
    player.onProblem { [capture] _ in _ = capture }
    player.onProblem { _ in }
  }

  @Test func `an unknown sound is reported with the folders that were searched`() throws {
    let player = try SoundPlayer(device: "null", folders: ["/nowhere"])
    let problems = Guarded<[SoundProblem]>([])
    player.onProblem { problem in problems.withLock { $0.append(problem) } }
    let problem = SoundProblem.sound("no sound is called 'ding'\n  searched: /nowhere")
    #expect(throws: problem) { try player.load(.sound("ding")) }
    player.play(.sound("ding"))
    #expect(problems.withLock { $0 } == [problem])
  }

  @Test func `a missing device is a problem, and the clock plays`() async throws {
    let player = try SoundPlayer(device: "hw:31", folders: [Self.shipped])
    #expect(player.device.name == "hw:31" && !player.device.isOpen)
    #expect(try #require(player.device.problem).hasPrefix("cannot play on 'hw:31': "))
    player.play(.selection)
    await player.silence()
  }

  @Test func `the host's limit of real-time threads is left alone unless it is asked for`() throws {
    func mayLimit(_ player: SoundPlayer) -> Bool? { (player.core.output as? Output)?.settings.mayLimitRuntime }
    #expect(mayLimit(try SoundPlayer(device: "none", folders: [])) == false)
    #expect(mayLimit(try SoundPlayer(device: "none", folders: [], lowersRealTimeLimit: true)) == true)
  }

  @Test func `a device that does not open holds up nothing for longer than a second, and is taken when it does`() throws
  {
    let folder = TemporaryFolder()
    let pipe = folder("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let start = Date()
    let player = try SoundPlayer(device: "file:\(pipe),raw", folders: [Self.shipped])
    #expect((0.9..<atMost(3)).contains(Date().timeIntervalSince(start)))
    #expect(player.device.problem?.contains("it does not answer") == true)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let end = Date().addingTimeInterval(atMost(10))
    while !player.device.isOpen, Date() < end { usleep(10_000) }
    #expect(player.device.isOpen)
  }

  @Test func `a player whose device blocks ends all the same`() throws {
    let folder = TemporaryFolder()
    let pipe = folder("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // It opens, takes 64 KiB, and then blocks.
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let player = Guarded<SoundPlayer?>(try SoundPlayer(device: "file:\(pipe),raw", folders: [Self.shipped]))
    player.withLock { player in
      player?.onProblem { _ in }
      player?.play(.sound("alarm"))
      // It returns because the device is lost.
      player?.waitUntilSilent()
      #expect(player?.device.problem?.contains("it does not answer") == true)
      let start = Date()
      player = nil
      #expect(Date().timeIntervalSince(start) < atMost(1))
    }
  }
}
