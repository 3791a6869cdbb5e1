package import CALSA
package import CLinux
import Glibc
import Synchronization

/// A PCM that exists only in memory: a ring, a hardware pointer that follows a clock, and a script of what goes wrong.
///
/// The clock stands still while code runs. Only `clinux_sleep` moves it, and then runs what the test planned for that time:
/// an hour of playing takes as long as its rendering. States, results and errors are those of the kernel (sound/core/pcm_native.c),
/// except where `script` says otherwise. Everything happens on one thread. With `isLive` it follows CLOCK_MONOTONIC instead, for a
/// real audio thread; then only that thread calls it.
package final class ScriptedPCM {
  /// The calls of the audio thread, by the snd_pcm_* that they are.
  package enum Call: CaseIterable, Sendable {
    case avail, htimestamp, delay, state, prepare, start, drop, resume, rewind, forward, writei, mmapBegin, mmapCommit
    case close
  }

  /// What a call does instead of its usual work.
  package enum Answer: Sendable {
    /// It fails with this errno, and the PCM is in the state that the error reports.
    case error(Int32)
    /// It returns this number and does nothing (`avail`, `delay`, `rewind`, …).
    case frames(Int)
    /// It works, with so many frames at most (`rewind`, `forward`, `writei`, `mmapBegin`, `mmapCommit`).
    case atMost(Int)
    /// It stamps with this time of the clock (`htimestamp`).
    case stamp(Int64)
    /// It does not return until the gate is opened, and then works.
    case block(Gate)
  }

  /// Holds a call of the PCM until a test opens it.
  package final class Gate: Sendable {
    private let descriptor = clinux_eventfd()
    private let held = Atomic<Int>(0)

    package init() {}

    deinit { Glibc.close(descriptor) }

    /// How many calls have come to it so far.
    package var heldCount: Int { held.load(ordering: .acquiring) }

    /// Lets all calls go, now and later.
    package func open() { clinux_eventfd_signal(descriptor) }

    /// Comes to it.
    package func wait() {
      held.add(1, ordering: .releasing)
      while clinux_wait(descriptor, Int16(POLLIN), -1) <= 0 {}
    }
  }

  /// How the PCM behaves.
  package struct Traits: Sendable {
    package var rate: Int
    package var bufferFrames: Int
    /// Its position moves in steps of so many frames.
    package var stepFrames: Int
    /// Whether it plays on through its ring when nothing is left (a stop threshold at the boundary), instead of stopping.
    package var runsOn: Bool
    /// Whether it takes everything at once, as ALSA's `null` does.
    package var takesAll: Bool
    /// How many frames it takes beyond its buffer, as PulseAudio's plugin does.
    package var extraFrames = 0
    /// Whether it is prepared at first and while it rests.
    package var restsPrepared = true
    /// How many of the last frames are heard again and again after a drop, as with JACK's plugin.
    package var repeatedFrames = 0

    package init(rate: Int, bufferFrames: Int, stepFrames: Int = 1, runsOn: Bool = false, takesAll: Bool = false) {
      self.rate = rate
      self.bufferFrames = bufferFrames
      self.stepFrames = max(1, stepFrames)
      self.runsOn = runsOn
      self.takesAll = takesAll
    }

    /// How many frames are kept until they are played.
    package var heldFrames: Int { bufferFrames + extraFrames }
  }

  package enum State: Sendable { case setup, prepared, running, dry, suspended, disconnected }

  /// Stereo, 32-bit float.
  package static let frameBytes = 8

  package let traits: Traits
  package let ring: UnsafeMutableRawPointer
  /// What goes wrong: asked at each call, with the number of that call among those of its name, from 1. `nil`: nothing.
  package var script: (Call, Int) -> Answer? = { _, _ in nil }
  /// How many nanoseconds too late a sleep ends; asked with its number, from 1.
  package var lateness: (Int) -> Int64 = { _ in 0 }
  /// The left channel of what was heard, from the first start on. Gaps are not in it.
  package private(set) var heard: [Float] = []
  /// Whether `heard` is filled.
  package var records = true
  package private(set) var state: State
  /// How often each call was made.
  package private(set) var counts: [Call: Int] = [:]
  package private(set) var sleeps = 0
  /// CLOCK_MONOTONIC, in nanoseconds.
  package var now: Int64 { isLive ? clinux_monotonic() : scriptedNow }
  private var scriptedNow: Int64 = 1_000_000_000
  private let isLive: Bool
  /// Whether it was closed; then nothing is heard of it.
  package var isClosed = false { willSet { advance() } }
  /// Whether the hardware pointer stands still.
  package var isStalled = false { willSet { advance() } }
  /// Whether the audio thread did the same thing again and again while no time passed.
  package private(set) var isStuck = false
  /// Called before each sleep.
  package var willSleep: () -> Void = {}
  /// Called when nothing is planned and the thread sleeps for ever, or is stuck.
  package var ended: () -> Void = {}

  /// The position in frames since the last prepare, and where the writer is.
  private var hardware = 0
  private var application = 0
  /// Nanoseconds that the clock moved since the hardware pointer last moved.
  private var remainder: Int64 = 0
  private var advancedAt: Int64
  private var wasRunning = false
  private var isDescriptorReady = false
  private var plan: [(time: Int64, action: () -> Void)] = []
  private var callsAtThisTime = 0
  private let calls = UnsafeMutablePointer<calsa_calls>.allocate(capacity: 1)
  private let area = UnsafeMutablePointer<snd_pcm_channel_area_t>.allocate(capacity: 1)

  /// A PCM that is prepared. Nothing has been written.
  package init(_ traits: Traits, isLive: Bool = false) {
    self.traits = traits
    self.isLive = isLive
    state = traits.restsPrepared ? .prepared : .setup
    advancedAt = isLive ? clinux_monotonic() : scriptedNow
    let bytes = traits.heldFrames * Self.frameBytes
    ring = .allocate(byteCount: bytes, alignment: 64)
    // Whatever an earlier owner left there.
    ring.initializeMemory(as: Float.self, repeating: 0.25, count: bytes / 4)
    area.initialize(to: snd_pcm_channel_area_t(addr: ring, first: 0, step: UInt32(8 * Self.frameBytes)))
    calls.initialize(to: Self.table)
  }

  deinit {
    ring.deallocate()
    area.deallocate()
    calls.deallocate()
  }

  /// What the audio thread plays on. It must not outlive this object.
  package var pcm: calsa_pcm {
    calsa_pcm(handle: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), calls: calls)
  }

  /// The clock and the sleep of the audio thread. It must not outlive this object.
  package var timekeeper: clinux_timekeeper {
    clinux_timekeeper(
      context: Unmanaged.passUnretained(self).toOpaque(),
      now: { ScriptedPCM.of($0).now },
      sleep: { ScriptedPCM.of($0).sleep(until: $1, watched: $2) })
  }

  // MARK: What the test does

  /// Does something at a time of the clock and ends the sleep, as the control side's eventfd does. In the order of the calls
  /// among those of the same time.
  package func at(_ time: Int64, _ action: @escaping () -> Void) {
    let place = plan.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    plan.insert((time, action), at: place)
  }

  /// Moves the clock on, as a slow call does.
  package func pass(_ nanoseconds: Int64) {
    scriptedNow += max(0, nanoseconds)
    if nanoseconds > 0 { callsAtThisTime = 0 }
    advance()
  }

  /// Plays so many frames at once, as a card does whose clock catches up.
  package func hurry(by frames: Int) {
    advance()
    remainder += Int64(frames) * 1_000_000_000
    playDue()
  }

  /// Moves the hardware pointer without playing what lies between.
  package func jump(by frames: Int) {
    advance()
    hardware = max(0, hardware + frames)
  }

  /// The machine goes to sleep and wakes up again.
  package func suspend() {
    advance()
    wasRunning = state == .running
    state = .suspended
    isDescriptorReady = true
  }

  /// The card is unplugged.
  package func disconnect() {
    advance()
    state = .disconnected
    isDescriptorReady = true
  }

  // MARK: The clock

  private func sleep(until time: Int64, watched: Int32) -> Int32 {
    sleeps += 1
    willSleep()
    if watched >= 0 && isDescriptorReady { return 1 }
    let late = lateness(sleeps)
    if let next = plan.first, time == 0 || next.time <= time + late {
      // What came at the same time is one wake-up, and waits for it as the control side's commands do.
      pass(next.time - now)
      while let next = plan.first, next.time <= now {
        plan.removeFirst()
        next.action()
      }
      pass(late)
    } else if time == 0 {
      ended()
    } else {
      pass(time + late - now)
    }
    count()
    return watched >= 0 && isDescriptorReady ? 1 : 0
  }

  /// Ends a loop that calls again and again while no time passes.
  private func count() {
    callsAtThisTime += isLive ? 0 : 1
    guard callsAtThisTime > 5000 else { return }
    isStuck = true
    state = .disconnected
    ended()
  }

  /// Plays up to the present moment.
  private func advance() {
    let elapsed = now - advancedAt
    advancedAt = now
    if state != .running, state != .dry { repeatEnd(Int(elapsed * Int64(traits.rate) / 1_000_000_000)) }
    guard state == .running, !isStalled, elapsed > 0 || traits.takesAll else { return }
    remainder += elapsed * Int64(traits.rate)
    playDue()
  }

  /// Plays the end of the last run over and over.
  private func repeatEnd(_ frames: Int) {
    let end = heard.suffix(traits.repeatedFrames)
    if end.isEmpty || !records || isClosed { return }
    for index in 0..<frames { heard.append(end[end.startIndex + index % end.count]) }
  }

  private func playDue() {
    var frames = Int(remainder / 1_000_000_000)
    frames -= frames % traits.stepFrames
    remainder -= Int64(frames) * 1_000_000_000
    let left = max(0, application - hardware)
    if traits.takesAll { frames = left }
    let isDry = frames >= left && !traits.runsOn && !traits.takesAll
    if isDry { frames = left }
    if records {
      let samples = ring.assumingMemoryBound(to: Float.self)
      for frame in hardware..<hardware + frames { heard.append(samples[2 * (frame % traits.heldFrames)]) }
    }
    hardware += frames
    if isDry { state = .dry }
  }

  // MARK: The calls

  /// Counts a call and brings the PCM up to the present; returns what the script wants.
  private func answer(_ call: Call) -> Answer? {
    counts[call, default: 0] += 1
    count()
    advance()
    guard let answer = script(call, counts[call, default: 0]) else { return nil }
    if case .block(let gate) = answer {
      gate.wait()
      advance()
      return nil
    }
    if case .error(let code) = answer {
      switch code {
      case EPIPE: state = .dry
      case ESTRPIPE:
        wasRunning = state == .running
        state = .suspended
      case ENODEV: state = .disconnected
      case EBADFD: state = .setup
      default: break
      }
    }
    return answer
  }

  /// The error of a call that needs a PCM which is prepared or runs.
  private var stateError: Int? {
    switch state {
    case .prepared, .running: nil
    case .setup: -Int(EBADFD)
    case .dry: -Int(EPIPE)
    case .suspended: -Int(ESTRPIPE)
    case .disconnected: -Int(ENODEV)
    }
  }

  private var available: Int { max(0, hardware + traits.heldFrames - application) }

  /// A call that moves the writer by `wanted` frames at most; `sign` is -1 for backwards.
  private func move(
    _ call: Call, _ wanted: UInt, room: () -> Int, sign: Int = 1, copying copy: (Int) -> Void = { _ in }
  ) -> Int {
    let answer = answer(call)
    if case .error(let code) = answer { return -Int(code) }
    if case .frames(let frames) = answer { return frames }
    if let stateError { return stateError }
    var frames = min(Int(wanted), max(0, room()))
    if case .atMost(let most) = answer { frames = min(frames, most) }
    copy(frames)
    application += sign * frames
    if traits.takesAll { advance() }
    return frames
  }

  /// A call that changes the state.
  private func change(_ call: Call, _ body: () -> Int) -> Int32 {
    if case .error(let code) = answer(call) { return -code }
    return Int32(body())
  }

  private func avail() -> Int {
    let answer = answer(.avail)
    if case .error(let code) = answer { return -Int(code) }
    if let stateError { return stateError }
    if case .frames(let frames) = answer { return frames }
    return available
  }

  private func htimestamp(_ avail: UnsafeMutablePointer<UInt>?, _ stamp: UnsafeMutablePointer<timespec>?) -> Int32 {
    let answer = answer(.htimestamp)
    if case .error(let code) = answer { return -code }
    var time = now
    var frames = available
    if case .stamp(let given) = answer { time = given }
    if case .frames(let given) = answer { frames = given }
    avail?.pointee = UInt(bitPattern: frames)
    stamp?.pointee = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    return 0
  }

  private func delay(_ frames: UnsafeMutablePointer<Int>?) -> Int32 {
    let answer = answer(.delay)
    if case .error(let code) = answer { return -code }
    if let stateError { return Int32(stateError) }
    frames?.pointee = application - hardware
    if case .frames(let given) = answer { frames?.pointee = given }
    return 0
  }

  private func kernelState() -> snd_pcm_state_t {
    _ = answer(.state)
    return switch state {
    case .setup: SND_PCM_STATE_SETUP
    case .prepared: SND_PCM_STATE_PREPARED
    case .running: SND_PCM_STATE_RUNNING
    case .dry: SND_PCM_STATE_XRUN
    case .suspended: SND_PCM_STATE_SUSPENDED
    case .disconnected: SND_PCM_STATE_DISCONNECTED
    }
  }

  private func prepare() -> Int {
    if state == .disconnected { return -Int(ENODEV) }
    state = .prepared
    isDescriptorReady = false
    hardware = 0
    application = 0
    remainder = 0
    return 0
  }

  private func start() -> Int {
    if state == .disconnected { return -Int(ENODEV) }
    if state != .prepared { return stateError ?? -Int(EBADFD) }
    if application == 0 && !traits.runsOn { return -Int(EPIPE) }
    state = .running
    advance()
    return 0
  }

  private func drop() -> Int {
    if state == .disconnected { return -Int(ENODEV) }
    state = .setup
    return 0
  }

  private func resume() -> Int {
    if state == .disconnected { return -Int(ENODEV) }
    if state != .suspended { return -Int(EBADFD) }
    state = wasRunning ? .running : .prepared
    isDescriptorReady = false
    return 0
  }

  private func mmapBegin(
    _ areas: UnsafeMutablePointer<UnsafePointer<snd_pcm_channel_area_t>?>?, _ offset: UnsafeMutablePointer<UInt>?,
    _ frames: UnsafeMutablePointer<UInt>?
  ) -> Int32 {
    let answer = answer(.mmapBegin)
    if case .error(let code) = answer { return -code }
    if let stateError { return Int32(stateError) }
    let place = application % traits.bufferFrames
    var room = min(Int(frames?.pointee ?? 0), max(0, available), traits.bufferFrames - place)
    if case .atMost(let most) = answer { room = min(room, most) }
    areas?.pointee = UnsafePointer(area)
    offset?.pointee = UInt(place)
    frames?.pointee = UInt(room)
    return 0
  }

  private func writei(_ frames: UnsafeRawPointer?, _ count: UInt) -> Int {
    let written = move(
      .writei, count, room: { available },
      copying: { taken in
        guard let frames else { return }
        for index in 0..<taken {
          let place = (application + index) % traits.heldFrames
          (ring + place * Self.frameBytes).copyMemory(
            from: frames + index * Self.frameBytes, byteCount: Self.frameBytes)
        }
      })
    return written == 0 && count > 0 ? -Int(EAGAIN) : written
  }

  // MARK: From C

  private static func of(_ handle: OpaquePointer?) -> ScriptedPCM { of(UnsafeMutableRawPointer(handle)) }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> ScriptedPCM {
    guard let pointer else { preconditionFailure("a scripted PCM is called without its handle") }
    return Unmanaged<ScriptedPCM>.fromOpaque(pointer).takeUnretainedValue()
  }

  private static var table: calsa_calls {
    calsa_calls(
      avail: { ScriptedPCM.of($0).avail() },
      htimestamp: { ScriptedPCM.of($0).htimestamp($1, $2) },
      delay: { ScriptedPCM.of($0).delay($1) },
      state: { ScriptedPCM.of($0).kernelState() },
      prepare: { pcm in ScriptedPCM.of(pcm).change(.prepare) { ScriptedPCM.of(pcm).prepare() } },
      start: { pcm in ScriptedPCM.of(pcm).change(.start) { ScriptedPCM.of(pcm).start() } },
      drop: { pcm in ScriptedPCM.of(pcm).change(.drop) { ScriptedPCM.of(pcm).drop() } },
      resume: { pcm in ScriptedPCM.of(pcm).change(.resume) { ScriptedPCM.of(pcm).resume() } },
      rewind: { pcm, frames in
        let card = ScriptedPCM.of(pcm)
        return card.move(.rewind, frames, room: { card.application - card.hardware }, sign: -1)
      },
      forward: { pcm, frames in
        let card = ScriptedPCM.of(pcm)
        return card.move(.forward, frames, room: { card.available })
      },
      writei: { ScriptedPCM.of($0).writei($1, $2) },
      mmap_begin: { ScriptedPCM.of($0).mmapBegin($1, $2, $3) },
      mmap_commit: { pcm, _, frames in
        let card = ScriptedPCM.of(pcm)
        return card.move(.mmapCommit, frames, room: { card.available })
      },
      close: { pcm in ScriptedPCM.of(pcm).change(.close) { 0 } })
  }
}
