import CALSA
import Glibc
import Synchronization
import TestSupport

@testable import SoundTrigger

/// An `AudioLoop` that plays on a `ScriptedPCM`, in lock step, on the test's own thread.
final class ScriptedLoop {
  /// The ways in which devices differ for the loop.
  enum Kind: CaseIterable, Sendable {
    /// A card: mapped, can be rewound, plays on through its ring.
    case card
    /// A card behind a plugin: the same, but it moves in steps and stops when it runs dry.
    case plugin
    /// PipeWire's plugin: mapped, can be rewound, stops when it runs dry.
    case pipewire
    /// Another sound server: written to, cannot be rewound.
    case server
    /// PulseAudio's plugin: the same, but it takes more than its buffer, and is prepared at its start only.
    case pulse
    /// JACK's plugin: the same, but its last period is heard until it is started again.
    case jack
    /// ALSA's `null` or `file`: takes everything at once.
    case file

    var canRewind: Bool { self == .card || self == .plugin || self == .pipewire }
    var isMapped: Bool { canRewind }
  }

  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000

  let kind: Kind
  let stream: StreamFormat
  let pcm: ScriptedPCM
  let shared: OutputShared
  let control: MixerControl
  private var loop: AudioLoop
  private let playback: UnsafeMutablePointer<PCMPlayback>
  /// When the loop began.
  let start: Int64
  private(set) var endedVoices: [VoiceID] = []
  /// The starts that were reported as heard: from the arrival to the ear.
  private(set) var latencies: [Duration] = []
  /// When the loop gave the device back before the end of the test, and why (a negative errno).
  private(set) var givenUp: (at: Int64, error: Int)?
  private var isStopped = false

  /// The device is there after so many milliseconds.
  init(_ kind: Kind, rate: Int = 48_000, voiceLimit: Int = 16, deviceAt: Int64 = 0) throws {
    self.kind = kind
    let period = kind == .pipewire || kind == .plugin ? 128 : kind == .card ? rate / 100 : 120
    let short = rate / 100
    let streamKind: StreamFormat.Kind =
      switch kind {
      case .card, .plugin: .card
      case .pipewire: .pipewire
      case .pulse: .pulse
      case .jack: .jack
      case .server, .file: .other
      }
    stream = StreamFormat(
      format: .float32, rate: rate, channels: 2, periodFrames: max(1, period),
      bufferFrames: kind.canRewind ? rate / 2 : short, isMapped: kind.isMapped,
      kind: streamKind, runsOn: kind == .card,
      stepFrames: kind == .pipewire || kind == .plugin ? period : 0, shortFrames: short)
    var traits = ScriptedPCM.Traits(
      rate: rate, bufferFrames: stream.bufferFrames, stepFrames: stream.stepFrames, runsOn: stream.runsOn,
      takesAll: kind == .file)
    traits.restsPrepared = streamKind.restsPrepared()
    if kind == .pulse { traits.extraFrames = stream.bufferFrames - 1 }
    if kind == .jack { traits.repeatedFrames = stream.periodFrames }
    pcm = ScriptedPCM(traits)
    shared = try OutputShared()
    control = MixerControl(voiceLimit: voiceLimit, rate: rate)
    loop = AudioLoop(
      shared: shared, mixer: control.makeMixer(), rate: rate, isClockWanted: false, timekeeper: pcm.timekeeper)
    start = pcm.now
    playback = .allocate(capacity: 1)
    playback.initialize(
      to: PCMPlayback(
        pcm: pcm.pcm, stream: stream, ring: stream.runsOn ? pcm.ring : nil, descriptor: kind == .card ? 1000 : -1,
        owner: Unmanaged.passUnretained(pcm)))
    if deviceAt == 0 {
      shared.offered.store(playback, ordering: .releasing)
    } else {
      at(deviceAt) { [unowned self] in shared.offered.store(playback, ordering: .releasing) }
    }
    pcm.ended = { [unowned self] in stop() }
    pcm.willSleep = { [unowned self] in
      // As the control side does if it does not open another device at once: the clock plays on.
      if isStopped || shared.returned.load(ordering: .acquiring) == nil { return }
      pcm.isClosed = true
      if shared.isHolding.exchange(false, ordering: .acquiringAndReleasing) { pcm.at(pcm.now) {} }
    }
  }

  deinit { playback.deallocate() }

  /// Does something so many milliseconds after the beginning, and wakes the loop.
  func at(_ milliseconds: Int64, _ action: @escaping () -> Void) {
    pcm.at(start + milliseconds * Self.millisecond, action)
  }

  /// Starts a clip after so many milliseconds.
  func play(_ clip: Clip, at milliseconds: Int64, loops: Bool = false) {
    at(milliseconds) { [unowned self] in _ = control.start(clip, loops: loops, arrival: pcm.now) }
  }

  /// Runs the loop until the end of the test, or until nothing is planned and the loop sleeps for ever.
  func run(until milliseconds: Int64? = nil) {
    if let milliseconds { at(milliseconds) { [unowned self] in stop() } }
    loop.runUntilStopped()
    collect()
  }

  /// Takes the loop's reports, as the control side does.
  func collect() {
    // At the end of the test the loop gives the device back, too.
    if givenUp == nil, !isStopped, shared.returned.load(ordering: .acquiring) != nil {
      givenUp = (pcm.now, shared.lastError.load(ordering: .relaxed))
    }
    control.collect { report in
      switch report {
      case .heard(_, let latency): if let latency { latencies.append(latency.ours + (latency.device ?? .zero)) }
      case .ended(let voice, _), .refused(let voice): endedVoices.append(voice)
      }
    }
  }

  private func stop() {
    collect()
    isStopped = true
    shared.isStopping.store(true, ordering: .releasing)
  }

  var xruns: Int { shared.counters.xruns.load(ordering: .relaxed) }
  var missing: Int { shared.counters.missing.load(ordering: .relaxed) }

  // MARK: What was heard

  /// A clip whose frames all differ, so that what was heard tells which frame it was.
  func numbered(_ frames: Int) -> Clip {
    var samples = [Float](repeating: 0, count: 2 * frames)
    for index in 0..<2 * frames { samples[index] = Float(index / 2 + 1) / Self.scale }
    return Clip(stereo: samples, rate: stream.rate)
  }

  private static let scale: Float = 65_536

  /// The numbers of the frames that were heard, in stretches without a gap: `first...last`. What is no single frame of a
  /// numbered clip is a stretch of its own, `-1...-1`.
  var heard: [ClosedRange<Int>] {
    var stretches: [ClosedRange<Int>] = []
    var wasSilent = true
    for sample in pcm.heard {
      if sample == 0 {
        wasSilent = true
        continue
      }
      let scaled = sample * Self.scale
      let number = scaled == scaled.rounded() && scaled >= 0 ? Int(scaled) : -1
      if let last = stretches.last, !wasSilent, number == last.upperBound + 1, number > 0 {
        stretches[stretches.count - 1] = last.lowerBound...number
      } else {
        stretches.append(number...number)
      }
      wasSilent = false
    }
    return stretches
  }

  /// Where the first frame that is not silent was heard.
  var firstHeard: Int? { pcm.heard.firstIndex { $0 != 0 } }
}
