import CLinux
import Foundation
import SoundTrigger
import TestSupport
import Testing

/// A player on a virtual clock: the rate is 1000, so a frame lasts a millisecond.
final class PlayerRig {
  let output: OfflineOutput
  var player: Player
  private(set) var now = Instant(nanoseconds: 0)

  init(voices: Int = 4) {
    output = OfflineOutput(writer: nil, rate: 1000, voiceLimit: voices, acceptsAtOnce: true)
    player = Player(output)
    for (name, frames) in [("short", 100), ("long", 10_000)] {
      player.sounds.set(name, .success(Clip(stereo: [Float](repeating: 0.1, count: 2 * frames), rate: 1000)))
    }
  }

  func play(_ id: UInt64, _ importance: PlaySettings.Importance) -> Play { play(id, "long", importance) }

  func play(
    _ id: UInt64, _ sound: String = "long", _ importance: PlaySettings.Importance = .normal, loops: Bool = false,
    spareEquals: Bool = false, fadeOut: Duration = .milliseconds(10)
  ) -> Play {
    Play(
      id: PlayID(id), trigger: "t", sound: sound, settings: PlaySettings(fadeOut: fadeOut, importance: importance),
      loops: loops, spareEquals: spareEquals, at: now)
  }

  func perform(_ decisions: Decision...) { player.perform(decisions, arrival: Instant(nanoseconds: 0)) }

  func stop(_ id: UInt64) -> Decision { .stop(PlayID(id), by: .hand, at: now) }

  /// What became of plays until `milliseconds`, written as `1 heard`, in the order in which it happened.
  func events(until milliseconds: Int64) throws -> [String] {
    let goal = Instant(nanoseconds: milliseconds * 1_000_000)
    repeat {
      now = try output.advance(to: goal)
      player.collect(at: now)
    } while now < goal
    defer { player.finish() }
    return player.outcomes
  }
}

extension Player {
  /// What became of plays, written as `1 heard`.
  var outcomes: [String] {
    happenings.compactMap { happening in
      switch happening {
      case .heard(let play, let isMuted): "\(play.id.rawValue) \(isMuted ? "heard muted" : "heard")"
      case .refused(let play, let why): "\(play.id.rawValue) refused \(why)"
      case .ended(let play, .stopped): "\(play.id.rawValue) stopped"
      case .ended(let play, let how): "\(play.id.rawValue) \(how)"
      case .changed, .judged, .alarm, .needsDevice, .begins, .stopping: nil
      }
    }
  }
}

@Suite struct PlayerTests {
  @Test func `a play is heard at once and finishes at its end`() throws {
    let rig = PlayerRig()
    rig.perform(.play(rig.play(1, "short")))
    #expect(rig.player.playing.map(\.id) == [PlayID(1)])
    #expect(try rig.events(until: 0) == ["1 heard"])
    #expect(try rig.events(until: 99) == [])
    #expect(try rig.events(until: 100) == ["1 finished"])
    #expect(rig.player.playing.isEmpty)
    #expect(rig.player.isSilent == true)
  }

  @Test func `a sound keeps its pitch if there is no room for a copy`() throws {
    let rig = PlayerRig()
    rig.player.clipLimit = rig.player.clipBytes + 1000
    var settings = PlaySettings()
    settings.pitch = 12
    rig.perform(.play(Play(id: PlayID(1), trigger: "t", sound: "short", settings: settings, at: rig.now)))
    #expect(rig.player.unpitched == ["short"])
    // Twice as high takes half as long.
    #expect(try rig.events(until: 99) == ["1 heard"])
    #expect(try rig.events(until: 100) == ["1 finished"])
    rig.player.clipLimit = .max
    rig.player.unpitched = []
    rig.perform(.play(Play(id: PlayID(2), trigger: "t", sound: "short", settings: settings, at: rig.now)))
    #expect(rig.player.unpitched.isEmpty)
    #expect(try rig.events(until: 150) == ["2 heard", "2 finished"])
  }

  @Test func `a play that is stopped at once is cancelled, and never heard`() throws {
    let rig = PlayerRig()
    rig.perform(.play(rig.play(1)), rig.stop(1), .play(rig.play(2, "short")))
    #expect(try rig.events(until: 0) == ["1 cancelled", "2 heard"])
    #expect(try rig.events(until: 100) == ["2 finished"])
    #expect(rig.player.isSilent == true)
  }

  @Test func `a stop fades a play out in its own time, and a second one changes nothing`() throws {
    let rig = PlayerRig()
    rig.perform(.play(rig.play(1)))
    #expect(try rig.events(until: 50) == ["1 heard"])
    rig.perform(rig.stop(1))
    #expect(try rig.events(until: 55) == [])
    rig.perform(rig.stop(1))
    #expect(try rig.events(until: 60) == ["1 stopped"])
    rig.perform(rig.stop(1), rig.stop(77))
    #expect(try rig.events(until: 100) == [])
  }

  @Test func `a play that was heard is said to stop when its fade begins, and one that was not is not`() throws {
    let rig = PlayerRig()
    rig.perform(.play(rig.play(1)))
    _ = try rig.events(until: 50)
    rig.perform(rig.stop(1), .play(rig.play(2)), rig.stop(2), rig.stop(1))
    let stops = rig.player.happenings.compactMap {
      if case .stopping(let play, let time) = $0 { (play.id, time) } else { nil }
    }
    #expect(stops.map(\.0) == [PlayID(1)])
    #expect(stops.map(\.1) == [rig.now])
  }

  @Test func `the device is asked for before the output carries out a play, once`() {
    let output = HeldOutput(voices: 4)
    var player = Player(output)
    player.sounds.set("s", .success(Clip(stereo: [Float](repeating: 0.1, count: 20), rate: 1000)))
    let now = Instant(nanoseconds: 0)
    player.perform(
      (1...2).map { .play(Play(id: PlayID($0), trigger: nil, sound: "s", at: now)) }, arrival: now)
    #expect(player.happenings.count { if case .needsDevice = $0 { true } else { false } } == 1)
    #expect(output.wakes == 0)
    player.finish()
    #expect(output.wakes == 1)
    player.perform([.play(Play(id: PlayID(3), trigger: nil, sound: "broken", at: now))], arrival: now)
    #expect(player.outcomes == ["3 refused broken"] && player.happenings.count == 1)
  }

  @Test func `a loop sounds until it is told to finish, then to the end of its sound`() throws {
    let rig = PlayerRig()
    rig.perform(.play(rig.play(1, "short", loops: true)))
    #expect(try rig.events(until: 950) == ["1 heard"])
    rig.perform(.finish(PlayID(1)))
    #expect(try rig.events(until: 999) == [])
    #expect(try rig.events(until: 1000) == ["1 finished"])
  }

  @Test func `a sound that is not loaded is refused as broken, and everything once the player is about to end`() throws
  {
    let rig = PlayerRig()
    rig.perform(.play(rig.play(1, "nothing")))
    #expect(try rig.events(until: 0) == ["1 refused broken"])
    rig.player.refuseAll()
    rig.perform(.play(rig.play(2)))
    #expect(try rig.events(until: 0) == ["2 refused ending"])
    #expect(rig.player.refusedCount == 2)
  }

  @Test func `mute and volume zero never suppress a play`() throws {
    let rig = PlayerRig()
    rig.player.setLevel(PlayLevel(isMuted: true), of: nil)
    rig.perform(.play(rig.play(1)))
    #expect(try rig.events(until: 10) == ["1 heard muted"])
    rig.player.setLevel(PlayLevel(volume: 0), of: nil)
    rig.perform(.play(rig.play(2)))
    #expect(try rig.events(until: 20) == ["2 heard muted"])
    rig.player.setLevel(PlayLevel(), of: nil)
    rig.perform(.play(rig.play(3, "short")))
    #expect(try rig.events(until: 120) == ["3 heard", "3 finished"])
  }
}

/// What a player does when voices or the mixer's room run out.
@Suite struct CrowdedPlayerTests {
  @Test func `a critical sound is heard although every voice fades for 30 s`() throws {
    let rig = PlayerRig(voices: 4)
    for id in 1...8 as ClosedRange<UInt64> {
      rig.perform(.play(rig.play(id, loops: true, fadeOut: .seconds(30))))
      _ = try rig.events(until: Int64(id) * 200 - 100)
      rig.perform(rig.stop(id))
      _ = try rig.events(until: Int64(id) * 200)
    }
    rig.perform(.play(rig.play(9, .critical)))
    #expect(try rig.events(until: 1650).filter { $0.hasPrefix("9") } == ["9 heard"])
  }

  @Test(arguments: [4, 256]) func `a critical sound is heard although 800 others began with it`(voices: Int) throws {
    let rig = PlayerRig(voices: voices)
    rig.player.perform(
      (1...800).map { .play(rig.play($0, .low)) } + [.play(rig.play(801, .critical))], arrival: Instant(nanoseconds: 0))
    let events = try rig.events(until: 0)
    #expect(events.contains("801 heard"))
    #expect(events.filter { $0.hasSuffix("heard") }.count == voices)
    #expect(events.filter { $0.hasSuffix("refused crowded") }.count == 801 - voices)
  }

  @Test func `what gives way ends as stolen, and what finds no voice is refused`() throws {
    let rig = PlayerRig(voices: 1)
    rig.perform(.play(rig.play(1)))
    #expect(try rig.events(until: 10) == ["1 heard"])
    rig.perform(.play(rig.play(2, .high)))
    #expect(try rig.events(until: 20) == ["2 heard", "1 stolen"])
    rig.perform(.play(rig.play(3)))
    #expect(try rig.events(until: 30) == ["3 refused crowded"])
    rig.perform(.play(rig.play(4, "long", .high, spareEquals: true)))
    #expect(try rig.events(until: 40) == ["4 refused crowded"])
    #expect(rig.player.refusedCount == 2)
  }

  @Test func `a play that was adjusted to be more important is kept`() throws {
    let rig = PlayerRig(voices: 2)
    rig.perform(.play(rig.play(1)), .play(rig.play(2)))
    rig.perform(.adjust(PlayID(1), PlaySettings(importance: .high)))
    #expect(try rig.events(until: 10) == ["1 heard", "2 heard"])
    rig.perform(.play(rig.play(3)))
    #expect(try rig.events(until: 20) == ["3 heard", "2 stolen"])
  }

  /// Plays by number and importance, before the audio thread does anything.
  private func perform(_ plays: [(UInt64, PlaySettings.Importance)], on player: inout Player) {
    let sound = Clip(stereo: [Float](repeating: 0.1, count: 2000), rate: 1000)
    player.sounds.set("s", .success(sound))
    player.perform(
      plays.map { id, importance in
        .play(
          Play(
            id: PlayID(id), trigger: nil, sound: "s", settings: PlaySettings(importance: importance), fresh: nil,
            at: Instant(nanoseconds: 0)))
      }, arrival: Instant(nanoseconds: 0))
  }

  @Test func `of more plays than the queue holds, the least important and then the oldest are refused`() {
    let output = HeldOutput(voices: 4)
    var player = Player(output)
    perform((1...1024).map { ($0, .low) }, on: &player)
    #expect(player.nextDeadline == nil)
    perform([(2001, .critical), (2002, .low), (2003, .low), (2004, .normal), (2005, .low)], on: &player)
    #expect(player.outcomes == ["2002 refused crowded"])
    #expect(player.nextDeadline != nil)
    player.finish()
    for frame in 1...2 {
      output.pass(frames: 1)
      player.collect(at: Instant(nanoseconds: Int64(frame) * 1_000_000))
    }
    #expect(player.nextDeadline == nil)
    let heard = player.outcomes.filter { $0.hasSuffix("heard") }
    #expect(heard.contains("2001 heard") && heard.contains("2004 heard"))
    #expect(!heard.contains("2002 heard"))
  }

  @Test func `a play that waits and is stopped is dropped, and one that the queue has no stop for stops later`() {
    let output = HeldOutput(voices: 4)
    var player = Player(output)
    perform((1...1024).map { ($0, $0 == 1 ? .high : .low) } + [(1025, .high), (1026, .high)], on: &player)
    let now = Instant(nanoseconds: 0)
    player.perform([.stop(PlayID(1025), by: .hand, at: now), .stop(PlayID(1), by: .hand, at: now)], arrival: now)
    #expect(player.outcomes == ["1025 cancelled"])
    output.pass(frames: 1)
    player.collect(at: now)
    output.pass(frames: 1)
    player.collect(at: now)
    #expect(player.outcomes.contains("1026 heard"))
    #expect(!player.outcomes.contains("1 stopped"))
    output.pass(frames: 10)
    player.collect(at: now)
    #expect(player.outcomes.contains("1 stopped"))
  }

  @Test func `a play that finds no room receives reports, but leaves the signal to those who sleep on it`() {
    let output = HeldOutput(voices: 4)
    var player = Player(output)
    perform((1...1024).map { ($0, .low) }, on: &player)
    output.pass(frames: 1)
    #expect(output.isSignalled && player.outcomes.isEmpty)
    var last: UInt64 = 1024
    while player.outcomes.isEmpty, last < 10_000 {
      last += 1
      perform([(last, .low)], on: &player)
    }
    #expect(!player.outcomes.isEmpty)
    #expect(output.isSignalled)
    player.collect(at: Instant(nanoseconds: 0))
    #expect(!output.isSignalled)
  }

  @Test func `every play ends once in a flood of restarts`() {
    let output = HeldOutput(voices: 4)
    var player = Player(output)
    let now = Instant(nanoseconds: 0)
    for id in 1...5000 as ClosedRange<UInt64> {
      if id > 1 { player.perform([.stop(PlayID(id - 1), by: .restart, at: now)], arrival: now) }
      perform([(id, .normal)], on: &player)
      if id % 700 == 0 { output.pass(frames: 3) }
      if id % 300 == 0 { player.collect(at: now) }
    }
    for _ in 0..<3 {
      output.pass(frames: 2000)
      player.collect(at: now)
    }
    var heard: Set<PlayID> = []
    var ended: Set<PlayID> = []
    for happening in player.happenings {
      switch happening {
      case .heard(let play, _): #expect(heard.insert(play.id).inserted && !ended.contains(play.id))
      case .refused(let play, _): #expect(ended.insert(play.id).inserted && !heard.contains(play.id))
      case .ended(let play, _): #expect(ended.insert(play.id).inserted)
      case .changed, .judged, .alarm, .needsDevice, .begins, .stopping: break
      }
    }
    #expect(ended.count == 5000)
    #expect(heard.contains(PlayID(5000)))
    #expect(player.isSilent == true)
  }
}

/// What a player does while a device is missing and the clock stands in for it.
@Suite final class UnheardPlayTests {
  private let output = HeldOutput(voices: 4, isReady: false)
  private var player: Player

  init() {
    player = Player(output)
    player.sounds.set("s", .success(Clip(stereo: [Float](repeating: 0.1, count: 2000), rate: 1000)))
    player.sounds.set("tick", .success(Clip(stereo: [Float](repeating: 0.1, count: 20), rate: 1000)))
  }

  private func time(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func play(_ id: UInt64, _ sound: String = "s", fresh: Duration? = .milliseconds(500), at: Int64 = 0) {
    player.perform(
      [
        .play(
          Play(id: PlayID(id), trigger: "t", sound: sound, loops: fresh == nil, fresh: fresh, at: time(at)))
      ], arrival: time(at))
  }

  /// Lets the output play until then; returns what happened.
  private func events(_ frames: Int, at now: Int64) -> [String] {
    output.pass(frames: frames)
    player.collect(at: time(now))
    player.advance(to: time(now))
    defer { player.finish() }
    return player.outcomes
  }

  @Test func `what no device takes within its time is refused and silenced`() {
    play(1)
    #expect(player.nextDeadline == time(500))
    #expect(events(499, at: 499) == [])
    #expect(events(1, at: 500) == ["1 refused noDevice"])
    #expect(player.nextDeadline == nil)
    #expect(player.playing.isEmpty)
    output.isReady = true
    #expect(events(10, at: 510) == [])
    #expect(events(10, at: 520) == [])
    #expect(player.isSilent == true)
  }

  @Test func `a sound that ends before a device takes it is refused, and never was heard`() {
    play(1, "tick")
    #expect(events(1, at: 1) == [])
    #expect(events(30, at: 31) == ["1 refused noDevice"])
  }

  @Test func `what still sounds when a device takes over is heard then, once`() {
    play(1)
    play(2, "tick")
    #expect(events(1, at: 1) == [])
    #expect(events(99, at: 100) == ["2 refused noDevice"])
    output.isReady = true
    #expect(events(1, at: 101) == ["1 heard"])
    #expect(events(400, at: 600) == [])
    #expect(player.latency.total.summary.count == 0)
  }

  @Test func `a loop waits for a device without end`() {
    play(1, fresh: nil)
    #expect(player.nextDeadline == nil)
    #expect(events(1, at: 1) == [])
    #expect(events(3_600_000, at: 3_600_000) == [])
    output.isReady = true
    #expect(events(1, at: 3_600_001) == ["1 heard"])
  }

  @Test func `what was stopped before a device took it ends as cancelled`() {
    play(1)
    #expect(events(1, at: 1) == [])
    player.perform([.stop(PlayID(1), by: .hand, at: time(2))], arrival: time(2))
    #expect(events(1, at: 2) == [])
    #expect(events(20, at: 22) == ["1 cancelled"])
  }

  @Test func `while a device is ready nothing is due`() {
    output.isReady = true
    play(1)
    #expect(player.nextDeadline == nil)
    #expect(events(0, at: 900) == ["1 heard"])
  }

  @Test func `everything stops at once, and what waited is dropped`() {
    output.isReady = true
    for id in 1...1026 as ClosedRange<UInt64> { play(id) }
    player.stopAll(fade: .milliseconds(50), by: .hand, at: time(0))
    #expect(Set(player.outcomes) == ["1025 cancelled", "1026 cancelled"])
    player.finish()
    _ = events(1, at: 1)
    let heard = player.playing.count
    #expect(heard == 4)
    _ = events(1, at: 2)
    #expect(events(50, at: 52).count == 4)
    #expect(player.isSilent == true)
  }
}
