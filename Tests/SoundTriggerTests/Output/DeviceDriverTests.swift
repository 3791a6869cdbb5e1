import CLinux
import Glibc
import TestSupport
import Testing

@testable import SoundTrigger

/// Keeping a device, with ALSA's `file` and `hw` PCMs.
struct DeviceDriverTests {
  private let folder = TemporaryFolder()

  private func opener(_ device: String, keepOpen: OutputSettings.KeepOpen = .automatic) throws -> DeviceOpener {
    var settings = OutputSettings(device: device)
    settings.keepOpen = keepOpen
    let opener = try DeviceOpener(settings)
    opener.begin()
    return opener
  }

  /// Keeps the device until a condition holds; returns whether it did in time.
  private func run(
    _ driver: DeviceDriver, _ receive: (VoiceReport) -> Void = { _ in }, until condition: () -> Bool
  ) -> Bool {
    let end = Output.now.advanced(by: atMost(.seconds(20)))
    while !condition() {
      if Output.now > end { return false }
      _ = clinux_wait(driver.output.reportDescriptor, Int16(POLLIN), 10_000_000)
      _ = driver.update(driver.output.collect(receive), at: Output.now)
    }
    return true
  }

  @Test func `the first device is opened in the background`() throws {
    let opener = try opener("file:\(folder("out.raw")),raw")
    opener.wait()
    #expect(opener.isDone)
    let driver = try DeviceDriver(opener, at: Output.now)
    #expect(driver.output.deviceError == nil)
    #expect(driver.output.device?.rate == 48_000)
  }

  @Test func `a first device that is missing is the output's error, and tried again`() throws {
    let opener = try opener("hw:31")
    opener.wait()
    let driver = try DeviceDriver(opener, at: Output.now)
    #expect("\(try #require(driver.output.deviceError))".hasPrefix("cannot play on 'hw:31': "))
    #expect(driver.deadline != nil)
    var isMissing = false
    let end = Output.now.advanced(by: atMost(.seconds(5)))
    while !isMissing, Output.now < end {
      // Ahead of time, because the back-off is long.
      let news = driver.update(at: driver.deadline ?? Output.now)
      isMissing = news.contains { if case .missing = $0 { true } else { false } }
      usleep(1000)
    }
    #expect(isMissing, "it was not tried again")
  }

  @Test func `what sounds waits for a lost device only if that is tried again within half a second`() {
    func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
    var upkeep = DeviceUpkeep(OutputSettings())
    upkeep.opened(at: at(0))
    upkeep.lost(at: at(0.1))
    #expect(upkeep.isHolding)
    // The attempt after a quarter of a second fails, and sounds play by the clock.
    upkeep.failed(at: at(0.35))
    #expect(!upkeep.isHolding)
    // It broke right after it was opened, and has been missing for so long that the next attempt is a second away.
    upkeep.opened(at: at(4))
    upkeep.lost(at: at(4.1))
    #expect(!upkeep.isHolding)
  }

  @Test func `without a device there is nothing to open`() throws {
    let opener = try opener("none")
    #expect(opener.isDone)
    let driver = try DeviceDriver(opener, at: Output.now)
    #expect(driver.output.deviceError == nil && driver.deadline == nil)
  }

  @Test func `an opening that does not return holds up nobody, and its device is taken when it comes`() throws {
    // To open a named pipe for writing takes a reader.
    let pipe = folder("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let opener = try opener("file:\(pipe),raw")
    let start = Output.now
    let driver = try DeviceDriver(opener, at: start)
    #expect(start.duration(to: Output.now) < atMost(.milliseconds(500)))
    #expect(driver.output.deviceError?.isSilence == true)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(run(driver) { driver.output.device != nil })
    #expect(driver.output.deviceError == nil)
  }

  @Test func `a sound after a rest has the audio thread looked at, though the device is open`() throws {
    let opener = try opener("file:\(folder("out.raw")),raw")
    opener.wait()
    let driver = try DeviceDriver(opener, at: Output.now)
    // The look that follows each opening: the thread rests, so there is no other one.
    _ = driver.update(at: Output.now)
    // The thread may rest once more before it takes the device.
    var later = Output.now
    #expect(
      run(driver) {
        guard driver.output.isSilent else { return false }
        later = later.advanced(by: .seconds(1))
        _ = driver.update(at: later)
        return driver.deadline == nil
      })
    // A device that blocks at its first call reports nothing: only a deadline ends this.
    let now = Output.now
    driver.soundBegins(at: now)
    #expect(try #require(driver.deadline) < now.advanced(by: .seconds(1)))
  }

  @Test(arguments: StreamFormat.Kind.allCases)
  func `a card is given back after 30 s without a sound, and PulseAudio's stream after 5 s`(
    kind: StreamFormat.Kind
  ) throws {
    let pcm = ScriptedPCM(ScriptedPCM.Traits(rate: 48_000, bufferFrames: 480), isLive: true)
    let stream = StreamFormat(
      format: .float32, rate: 48_000, channels: 2, periodFrames: 120, bufferFrames: 480, isMapped: false, kind: kind)
    let settings = OutputSettings(device: "scripted")
    let output = try Output(
      settings, opened: OpenedDevice(result: .success(PCMDevice(pcm.pcm, stream, ring: nil)), wanted: settings))
    defer { #expect(!output.stop(patience: atMost(.seconds(5)))) }
    var upkeep = DeviceUpkeep(settings)
    let start = Output.now
    upkeep.opened(at: start)
    // The thread has the device from its second turn on, and then rests.
    while output.sign.turns < 2 || !output.isSilent, Output.now < start.advanced(by: atMost(.seconds(5))) {
      usleep(1000)
    }
    #expect(upkeep.update(output, at: start) == nil)
    let seconds: Int64? = [.card: 30, .sharedCard: 30, .pulse: 5][kind]
    let end = start.advanced(by: .seconds(seconds ?? 1000))
    #expect(upkeep.update(output, at: end.advanced(by: .nanoseconds(-1))) == nil)
    #expect(upkeep.update(output, at: end) == (seconds == nil ? nil : .release))
    withExtendedLifetime(pcm) {}
  }

  @Test func `a device that was given back is opened by the first sound, which is heard`() throws {
    let opener = try opener("file:\(folder("out.raw")),raw", keepOpen: .atMost(.milliseconds(1)))
    opener.wait()
    let driver = try DeviceDriver(opener, at: Output.now)
    #expect(run(driver) { driver.output.isReleased })
    var player = Player(driver.output)
    player.sounds.set("s", .success(Clip(stereo: noise(frames: 480, seed: 1), rate: driver.output.rate)))
    player.perform(
      [.play(Play(id: PlayID(1), trigger: nil, sound: "s", at: Output.now))], arrival: Output.now)
    guard case .needsDevice? = player.happenings.first else {
      Issue.record("the device is not asked for")
      return
    }
    driver.soundBegins(at: Output.now)
    player.finish()
    var isHeard = false
    #expect(
      run(driver) {
        if case .heard = $0 { isHeard = true }
      } until: {
        isHeard
      })
  }

  // MARK: Opening it again

  /// The number of a file; 0 if it is missing.
  private func identity(_ name: String) -> UInt64 {
    var status = stat()
    return stat(folder(name), &status) == 0 ? UInt64(status.st_ino) : 0
  }

  @Test func `a device is opened again at rest, and a sound with an end is not cut for that`() throws {
    let opener = try opener("file:\(folder("out.raw")),raw", keepOpen: .always)
    opener.wait()
    let driver = try DeviceDriver(opener, at: Output.now)
    let first = identity("out.raw")
    unlink(folder("out.raw"))
    let clip = Clip(stereo: noise(frames: 24_000, seed: 1), rate: driver.output.rate)
    let voice = try #require(driver.output.control.start(clip))
    driver.soundBegins(at: Output.now)
    driver.output.wake()
    driver.reopen(at: Output.now)
    // Long before the sound ends, by the clock of the device's owner.
    var ending: VoiceReport?
    _ = driver.update(at: Output.now.advanced(by: .seconds(60)))
    #expect(driver.output.device != nil)
    #expect(
      run(driver) {
        if case .ended(voice, _) = $0 { ending = $0 }
      } until: {
        identity("out.raw") != 0 && driver.output.device != nil
      })
    #expect(ending == .ended(voice, .finished))
    #expect(first != 0)
    #expect(driver.output.deviceError == nil && !driver.isMissing)
  }

  @Test func `below a sound without an end a device is opened again after some seconds, and the voice is reported`()
    throws
  {
    let opener = try opener("file:\(folder("out.raw")),raw")
    opener.wait()
    let driver = try DeviceDriver(opener, at: Output.now)
    driver.isEndless = { true }
    let clip = Clip(stereo: noise(frames: 4800, seed: 1), rate: driver.output.rate)
    let voice = try #require(driver.output.control.start(clip, loops: true))
    driver.soundBegins(at: Output.now)
    driver.output.wake()
    unlink(folder("out.raw"))
    driver.reopen(at: Output.now)
    #expect(driver.update(at: Output.now.advanced(by: .seconds(4))) == [])
    #expect(driver.output.device != nil)
    _ = driver.update(at: Output.now.advanced(by: .seconds(6)))
    #expect(driver.output.device == nil)
    var isLost = false
    #expect(
      run(driver) {
        if $0 == .ended(voice, .lost) { isLost = true }
      } until: {
        driver.output.device != nil
      })
    #expect(isLost)
    #expect(identity("out.raw") != 0)
  }
}
