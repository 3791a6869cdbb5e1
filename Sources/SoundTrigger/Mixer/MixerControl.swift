import CMixer
import Synchronization

/// The control side of a mixer: starts and stops voices, and keeps their clips alive until they have ended.
///
/// Confined to one thread, which must not be the audio thread. It never blocks: a full queue refuses.
package final class MixerControl {
  private(set) var queues: MixerQueues
  package let rate: Int
  package let voiceLimit: Int
  private var slots: Slots
  /// The gain that a new mixer begins with.
  private var masterGain: Float = 1
  /// The queues and voices of an abandoned mixer. `nil` after `collect` has reported them.
  private var abandoned: (queues: MixerQueues, voices: [VoiceID])?

  package init(voiceLimit: Int, rate: Int) {
    self.voiceLimit = voiceLimit
    self.rate = rate
    queues = MixerQueues(voices: voiceLimit)
    slots = Slots(count: queues.activeCapacity)
  }

  /// A slot for each voice between `start` and `collect`. One struct, because Swift checks each access to a class's property
  /// while the program runs.
  private struct Slots {
    private(set) var clips: [Clip?]
    private var generations: [UInt32]
    private var free: [Int]

    init(count: Int) {
      clips = Array(repeating: nil, count: count)
      generations = Array(repeating: 0, count: count)
      free = Array((0..<count).reversed())
    }

    var activeCount: Int { clips.count - free.count }

    /// The voices that have a slot.
    var voices: [VoiceID] { clips.indices.filter { clips[$0] != nil }.map(voice) }

    /// Whether a voice has a slot.
    func has(_ other: VoiceID) -> Bool { clips[other.slot] != nil && voice(in: other.slot) == other }

    private func voice(in slot: Int) -> VoiceID {
      VoiceID(rawValue: UInt32(slot) | generations[slot] << VoiceID.slotBits)
    }

    /// Keeps a clip alive; returns the voice that plays it, or `nil` if every slot is taken.
    mutating func take(_ clip: Clip) -> VoiceID? {
      guard let slot = free.popLast() else { return nil }
      clips[slot] = clip
      return voice(in: slot)
    }

    /// Releases the clip and the slot of the voice.
    mutating func release(_ slot: Int) {
      clips[slot] = nil
      generations[slot] = (generations[slot] &+ 1) & (1 << (32 - VoiceID.slotBits) - 1)
      free.append(slot)
    }
  }

  /// Makes the mixer, which belongs to the audio thread from then on. Call it once.
  package func makeMixer(level: Int? = nil) -> Mixer {
    Mixer(queues: queues, voiceLimit: voiceLimit, rate: rate, level: level)
  }

  // MARK: Another mixer

  /// Makes a mixer and its queues, with which `replaceMixer` replaces the present ones.
  func makeSuccessor() -> Mixer {
    var mixer = Mixer(
      queues: MixerQueues(voices: voiceLimit, after: queues.counters), voiceLimit: voiceLimit, rate: rate, level: nil)
    mixer.state.master.ramp(to: masterGain, frames: 0)
    return mixer
  }

  /// The clips that the present mixer may read.
  var clips: [Clip?] { slots.clips }

  /// From now on sends commands to the mixer with these queues, because the thread of the present mixer is stuck.
  ///
  /// The next `collect` passes on what the abandoned mixer had reported, and reports its other voices as lost. Its thread may
  /// still read the old `clips`.
  func replaceMixer(_ queues: MixerQueues) {
    abandoned = (self.queues, slots.voices)
    self.queues = queues
  }

  // MARK: Voices

  /// Begins a voice. Returns `nil` and does nothing if every slot is taken or the queue is full.
  ///
  /// `pan` is -1 (left) to 1 (right); `offset` is the frame of the next block at which the sound begins; `fadeIn` is in
  /// frames; `arrival` is in nanoseconds of CLOCK_MONOTONIC (0: unknown). With `loops` the clip repeats without a gap until
  /// the voice is stopped. With `sparesEquals` it takes only a free voice or the voice of a less important
  /// sound. The clip must have the mixer's sample rate.
  package func start(
    _ clip: Clip, gain: Float = 1, pan: Float = 0, importance: UInt8 = 1, loops: Bool = false,
    sparesEquals: Bool = false, offset: Int = 0, fadeIn: Int = 0, arrival: Int64 = 0
  ) -> VoiceID? {
    precondition(clip.rate == rate, "a clip is resampled when it is loaded, never while it plays")
    guard let voice = slots.take(clip) else { return nil }
    var command = MixerCommand(kind: .start, importance: importance, loops: loops, voice: voice)
    command.source = clip.frames
    command.frames = Int32(clamping: clip.frameCount)
    command.offset = Int32(clamping: offset)
    command.fadeIn = Int32(clamping: fadeIn)
    command.gain = Self.gain(gain, pan)
    command.sparesEquals = sparesEquals
    command.arrival = arrival
    guard push(command) else {
      slots.release(voice.slot)
      return nil
    }
    return voice
  }

  /// Fades a voice out; does nothing to one that has ended. Returns false if the queue is full.
  @discardableResult
  package func stop(_ voice: VoiceID, fadeFrames: Int) -> Bool {
    push(MixerCommand(kind: .stop, voice: voice, frames: Int32(clamping: fadeFrames)))
  }

  /// Lets a looping voice end with its clip, and changes no other voice. Returns false if the queue is full.
  @discardableResult
  package func endLoop(_ voice: VoiceID) -> Bool { push(MixerCommand(kind: .endLoop, voice: voice)) }

  /// Ramps a voice to another gain and pan in `fadeFrames`, and changes its importance (`nil` keeps it). Does nothing to a
  /// voice that fades out or has ended. Returns false if the queue is full.
  @discardableResult
  package func setGain(
    _ voice: VoiceID, gain: Float, pan: Float = 0, importance: UInt8? = nil, fadeFrames: Int
  ) -> Bool {
    var command = MixerCommand(kind: .setGain, voice: voice, frames: Int32(clamping: fadeFrames))
    command.gain = Self.gain(gain, pan)
    command.importance = importance ?? .max
    return push(command)
  }

  /// Fades everything out. Returns false if the queue is full.
  @discardableResult
  package func stopAll(fadeFrames: Int) -> Bool {
    push(MixerCommand(kind: .stopAll, frames: Int32(clamping: fadeFrames)))
  }

  /// Ramps the gain of the whole mix to `gain` in `fadeFrames`. Returns false if the queue is full.
  @discardableResult
  package func setMasterGain(_ gain: Float, fadeFrames: Int) -> Bool {
    let isSent = push(
      MixerCommand(
        kind: .setMasterGain, frames: Int32(clamping: fadeFrames), gain: cmixer_gain(left: gain, right: gain)))
    if isSent { masterGain = gain }
    return isSent
  }

  /// Passes the mixer's reports on, in order, and releases the clips of voices that have ended.
  package func collect(_ receive: (VoiceReport) -> Void = { _ in }) {
    if abandoned != nil { collectAbandoned(receive) }
    collect(queues, receive)
  }

  private func collectAbandoned(_ receive: (VoiceReport) -> Void) {
    guard let (queues, voices) = abandoned.take() else { return }
    collect(queues, receive)
    for voice in voices where slots.has(voice) {
      slots.release(voice.slot)
      receive(.ended(voice, .lost))
    }
  }

  @inline(__always)
  private func collect(_ queues: MixerQueues, _ receive: (VoiceReport) -> Void) {
    while case let position = queues.reports.slotToRead(), position >= 0 {
      let report = queues.reportSlots[position]
      queues.reports.release()
      switch report {
      case .heard: break
      case .refused(let voice), .ended(let voice, _): slots.release(voice.slot)
      }
      receive(report)
    }
  }

  /// The number of frames in a duration, at most 2³¹ - 1.
  package func frames(in duration: Duration) -> Int {
    let (seconds, rest) = duration.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let whole = min(seconds, Int64(Int32.max) / Int64(rate))
    return Int(min(Int64(Int32.max), whole * Int64(rate) + rest * Int64(rate) / 1_000_000_000))
  }

  /// Voices started and not yet collected.
  package var activeCount: Int { slots.activeCount }

  /// What the mixer counts.
  package var statistics: MixerStatistics {
    MixerStatistics(
      rendered: queues.counters.rendered.load(ordering: .relaxed),
      voices: queues.counters.voices.load(ordering: .relaxed),
      stolen: queues.counters.stolen.load(ordering: .relaxed),
      refused: queues.counters.refused.load(ordering: .relaxed))
  }

  private static func gain(_ gain: Float, _ pan: Float) -> cmixer_gain {
    let balance = Balance(pan: pan)
    return cmixer_gain(left: gain * balance.left, right: gain * balance.right)
  }

  private func push(_ command: MixerCommand) -> Bool {
    let queues = queues
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
  /// Voices that the mixer stole after they had sounded.
  package var stolen: Int
  /// Voices that the mixer refused.
  package var refused: Int
}
