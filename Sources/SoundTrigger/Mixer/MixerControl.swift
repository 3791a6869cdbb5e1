import CMixer
import Synchronization

/// One playing voice, for the control side.
package struct VoiceID: Hashable, Sendable {
  let rawValue: UInt32
}

/// The control side of a mixer: starts and stops voices, and keeps their clips alive until they are retired.
///
/// Confined to one thread, which must not be the audio thread. Nothing here blocks: a full queue refuses.
package final class MixerControl {
  let queues: MixerQueues
  package let rate: Int
  package let voiceLimit: Int
  private var clips: [Clip?]
  private var generations: [UInt32]
  private var free: [Int]

  package init(voiceLimit: Int, rate: Int) {
    self.voiceLimit = voiceLimit
    self.rate = rate
    queues = MixerQueues(voices: voiceLimit)
    let slots = queues.activeCapacity
    clips = Array(repeating: nil, count: slots)
    generations = Array(repeating: 0, count: slots)
    free = Array((0..<slots).reversed())
  }

  /// The mixer itself, to be moved to the audio thread. Call once.
  package func makeMixer(level: Int? = nil) -> Mixer {
    Mixer(queues: queues, voiceLimit: voiceLimit, rate: rate, level: level)
  }

  /// Begins a voice; `nil` if too much is under way already (then nothing happens).
  ///
  /// `pan` is -1 (left) to 1 (right), `offset` is counted in frames from the next block's beginning, `fadeIn` in
  /// frames, `arrival` in nanoseconds of CLOCK_MONOTONIC (0: unknown). With `loops` the clip begins again at its end,
  /// without a gap, until the voice is stopped. The clip's rate must be the mixer's.
  package func start(
    _ clip: Clip, gain: Float = 1, pan: Float = 0, importance: UInt8 = 1, loops: Bool = false, offset: Int = 0,
    fadeIn: Int = 0, arrival: Int64 = 0
  ) -> VoiceID? {
    precondition(clip.rate == rate, "a clip is resampled when it is loaded, never while it plays")
    guard let slot = free.popLast() else { return nil }
    let voice = UInt32(slot) | generations[slot] << Self.slotBits
    var command = MixerCommand(kind: .start, importance: importance, loops: loops, voice: voice)
    command.source = clip.frames
    command.frames = Int32(clamping: clip.frameCount)
    command.offset = Int32(clamping: offset)
    command.fadeIn = Int32(clamping: fadeIn)
    command.gain = Self.gain(gain, pan)
    command.arrival = arrival
    guard push(command) else {
      free.append(slot)
      return nil
    }
    clips[slot] = clip
    return VoiceID(rawValue: voice)
  }

  /// Fades a voice out; one that has ended is no concern. Returns false if the queue is full.
  @discardableResult
  package func stop(_ voice: VoiceID, fadeFrames: Int) -> Bool {
    push(MixerCommand(kind: .stop, voice: voice.rawValue, frames: Int32(clamping: fadeFrames)))
  }

  /// Lets a voice that loops end with the end of its clip; others are no concern. Returns false if the queue is full.
  @discardableResult
  package func endLoop(_ voice: VoiceID) -> Bool { push(MixerCommand(kind: .endLoop, voice: voice.rawValue)) }

  /// Brings a voice to another gain and place in `fadeFrames`; one that ends or has ended is no concern. Returns false if
  /// the queue is full.
  @discardableResult
  package func setGain(_ voice: VoiceID, gain: Float, pan: Float = 0, fadeFrames: Int) -> Bool {
    push(
      MixerCommand(
        kind: .setGain, voice: voice.rawValue, frames: Int32(clamping: fadeFrames), gain: Self.gain(gain, pan)))
  }

  /// Fades everything out. Returns false if the queue is full.
  @discardableResult
  package func stopAll(fadeFrames: Int) -> Bool {
    push(MixerCommand(kind: .stopAll, frames: Int32(clamping: fadeFrames)))
  }

  /// Brings the gain of the whole mix to `gain` in `fadeFrames`. Returns false if the queue is full.
  @discardableResult
  package func setMasterGain(_ gain: Float, fadeFrames: Int) -> Bool {
    push(
      MixerCommand(
        kind: .setMasterGain, frames: Int32(clamping: fadeFrames), gain: cmixer_gain(left: gain, right: gain)))
  }

  /// Takes what the mixer reports, and lets go of the clips of voices that ended.
  ///
  /// Before `ended` is told of a voice as of all others, `refused` is told of it if there was no place for it, and `cut` if
  /// it was faded out before its end, for it was stopped or had to give way.
  /// `heard` is told of each voice whose start had an arrival how long it took: until its first frames were handed over,
  /// and from there to the ear.
  package func collect(
    _ ended: (VoiceID) -> Void = { _ in }, refused: (VoiceID) -> Void = { _ in },
    cut: (VoiceID) -> Void = { _ in }, heard: (VoiceID, _ ours: Duration, _ device: Duration) -> Void = { _, _, _ in }
  ) {
    while case let position = queues.reports.slotToRead(), position >= 0 {
      let report = queues.reportSlots[position]
      queues.reports.release()
      let voice = VoiceID(rawValue: report.voice)
      if !report.isEnd {
        heard(voice, .nanoseconds(report.after), .nanoseconds(report.delay))
        continue
      }
      if report.isRefusal { refused(voice) }
      if report.isCut { cut(voice) }
      let slot = Int(report.voice & (1 << Self.slotBits - 1))
      clips[slot] = nil
      generations[slot] = (generations[slot] &+ 1) & (1 << (32 - Self.slotBits) - 1)
      free.append(slot)
      ended(voice)
    }
  }

  /// Voices started and not yet collected.
  package var activeCount: Int { clips.count - free.count }

  /// What the mixer counts.
  package var statistics: MixerStatistics {
    MixerStatistics(
      rendered: queues.counters.rendered.load(ordering: .relaxed),
      voices: queues.counters.voices.load(ordering: .relaxed),
      stolen: queues.counters.stolen.load(ordering: .relaxed),
      refused: queues.counters.refused.load(ordering: .relaxed))
  }

  /// 2¹⁴ voices at the most, far above `limits.voices`; the rest tells a slot's tenants apart.
  private static let slotBits: UInt32 = 14

  private static func gain(_ gain: Float, _ pan: Float) -> cmixer_gain {
    let balance = Balance(pan: pan)
    return cmixer_gain(left: gain * balance.left, right: gain * balance.right)
  }

  private func push(_ command: MixerCommand) -> Bool {
    let slot = queues.commands.slotToWrite()
    guard slot >= 0 else { return false }
    queues.commandSlots[slot] = command
    queues.commands.publish()
    return true
  }
}

/// The mixer's counters at one moment.
package struct MixerStatistics: Equatable, Sendable {
  /// Frames rendered since the start.
  package var rendered: UInt64
  /// Voices sounding.
  package var voices: Int
  /// Voices that had to give way.
  package var stolen: Int
  /// Voices that found no place.
  package var refused: Int
}
