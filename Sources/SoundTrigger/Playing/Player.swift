/// Performs decisions on an output and reports what became of each play: the one place where triggers and mixer meet.
///
/// Confined to one thread. It cannot be copied, so it has one owner. It never blocks and makes no callbacks: the caller
/// reads `happenings` and then calls `finish`; it calls `collect` when the output has reports and `advance` at `nextDeadline`.
/// A play that was never heard is refused exactly once, or ends as `.cancelled` if it was stopped before.
package struct Player: ~Copyable {
  /// How long the volume takes to change: fast enough for a hand at the knob, slow enough to make no noise of its own.
  package static let volumeRamp = Duration.milliseconds(20)
  /// When it tries again what the mixer had no room for; the mixer applies its commands at least that often.
  private static let retryPause = Duration.milliseconds(5)

  package let output: any AudioOutput
  private let control: MixerControl
  private var picker: VariantPicker
  /// What has happened since `finish`, in order.
  package private(set) var happenings: [Happening] = []
  /// How many plays were refused so far.
  package private(set) var refusedCount = 0
  /// From the cause of a play to the ear, by the name of the trigger; `nil`: plays by hand, and triggers that are gone.
  package private(set) var latencies: [String?: LatencyRecord] = [:]
  /// How many bytes all clips may take before a sound keeps its own pitch, because another one takes a copy.
  package var clipLimit = Int.max
  /// The sounds that kept their pitch because of it.
  package var unpitched: Set<String> = []
  private var loudness = PlayLevels()
  private var plays = ActivePlays()
  /// The oldest first: the mixer had no room for them.
  private var waiting: [ActivePlay] = []
  /// Commands that the mixer had no room for: at most one of each kind for a voice, and the master gain.
  private var unsent: [VoiceID: UnsentCommands] = [:], isMasterGainUnsent = false
  private var sink = SinkRest()
  private var pitchedClips = PitchedClips()
  /// Whether `clipBytes` has grown by a pitched copy since this was set to false.
  package var hasNewClips = false
  private var retryDeadline: Instant?
  private var needsWake = false, isEnding = false
  /// Whether `happenings` says that the device is needed.
  private var needsDevice = false

  /// `seed` decides which of a sound's clips plays.
  package init(_ output: any AudioOutput, seed: UInt64 = 0) {
    self.output = output
    picker = VariantPicker(seed: seed)
    control = output.control
  }

  /// The loaded sounds by their names. A play keeps the clip that it began with.
  package var sounds: LoadedSounds {
    _read { yield picker.sounds }
    _modify { yield &picker.sounds }
  }

  // MARK: Decisions

  /// Performs decisions in their order. The output carries them out after `finish`.
  ///
  /// `arrival` is when their cause arrived, in nanoseconds of CLOCK_MONOTONIC (0: unknown, and no latency is recorded).
  package mutating func perform(_ decisions: [Decision], arrival: Instant) {
    for decision in decisions {
      switch decision {
      case .play(let play):
        begin(
          play, picker.clip(of: play.sound), isSpoken: picker.sounds.isSpeech(play.sound),
          arrival: arrival.nanoseconds)
      case .stop(let id, let cause, let time): stop(id, by: cause, at: time)
      case .finish(let id): finish(id)
      case .adjust(let id, let settings): adjust(id, settings)
      }
    }
  }

  /// Plays a clip, which need not be among the loaded sounds; `nil`: that of the play's sound.
  package mutating func play(_ play: Play, _ clip: Clip?, arrival: Instant) {
    begin(play, clip ?? picker.clip(of: play.sound), arrival: arrival.nanoseconds)
  }

  /// `isSpoken`: the play has no sound, and speech stands for it (`speechHeard`, `speechEnded`).
  private mutating func begin(_ play: Play, _ clip: Clip?, isSpoken: Bool = false, arrival: Int64) {
    if isEnding { return refuse(play, .ending) }
    guard let clip = clip ?? (play.isAlarm ? sounds.keptClip(of: play.sound) : nil) else {
      return refuse(play, sounds.isDisabled(play.sound) ? .disabled : .broken)
    }
    let active = plays.begin(play, clip, arrival: arrival)
    if !needsDevice, output.wantsDevice {
      needsDevice = true
      if !output.isReady { sink.deviceClosed() }
      happenings.append(.needsDevice)
    }
    if isSpoken { return }
    if waiting.isEmpty {
      if start(active) { return }
      // A file's mixer makes room at once, and reports may have come that free some. The output's signal stays: another
      // thread may sleep on it, and only that one takes it (`collect`).
      output.wake()
      control.collect { receive($0) }
      if start(active) { return }
    }
    waiting.append(active)
    retryAtOnce()
    if waiting.count > control.voiceLimit { refuseLeastWaiting() }
  }

  /// Returns false if the mixer has no room for it.
  private mutating func start(_ active: ActivePlay) -> Bool {
    if isMasterGainUnsent { sendMasterGain() }
    let (volume, pan) = (active.settings.volume * loudness.gain(of: active.play), active.settings.pan)
    let fadeIn = active.settings.fadeIn == .zero ? 0 : control.frames(in: active.settings.fadeIn)
    if active.needsPitch { applyPitch(to: active) }
    guard let clip = active.clip else { return false }
    let pause = sink.pause(before: clip, isAlarm: active.play.isAlarm, at: active.play.at, wake: output.wakeTime)
    // What waited for the sink says nothing about our latency.
    let arrival = pause == nil ? active.arrival : 0
    guard
      let voice = control.start(
        clip, gain: Float(volume), pan: Float(pan),
        importance: active.rank, loops: active.loops, sparesEquals: active.play.spareEquals,
        offset: pause.map { control.frames(in: $0) } ?? 0, fadeIn: fadeIn, arrival: arrival)
    else { return false }
    needsWake = true
    plays.setVoice(voice, of: active)
    return true
  }

  /// Only now, because a play that waits for the mixer may get no voice.
  @inline(never)
  private mutating func applyPitch(to active: ActivePlay) {
    active.needsPitch = false
    guard let clip = active.clip else { return }
    if let pitched = pitchedClips.clip(clip, for: active.play) {
      active.clip = pitched
    } else if let copy = pitchedClips.makeClip(
      clip, for: active.play, room: clipLimit == .max ? .max : clipLimit - clipBytes)
    {
      active.clip = copy
      hasNewClips = true
    } else {
      unpitched.insert(active.play.sound)
    }
  }

  /// Of the plays that wait, refuses the least important, among equals the oldest.
  private mutating func refuseLeastWaiting() {
    var least = 0
    for index in waiting.indices where waiting[index].rank < waiting[least].rank { least = index }
    let active = waiting.remove(at: least)
    plays.end(active)
    refuse(active.play, .crowded)
  }

  private mutating func stop(_ id: PlayID, by cause: StopCause, at time: Instant) {
    guard let active = plays[id], !active.isStopped else { return }
    if let voice = active.voice {
      noteStop(of: active, by: cause, at: time)
      let frames = control.frames(in: active.settings.fadeOut)
      send(to: voice) { $0.stopFrames = frames }
    } else {
      removeWaiting(active)
      end(active, by: cause, at: time)
    }
  }

  /// Ends a play that has no voice. If it is spoken it may have been heard.
  private mutating func end(_ active: ActivePlay, by cause: StopCause, at time: Instant) {
    noteStop(of: active, by: cause, at: time)
    plays.end(active)
    happenings.append(.ended(active.play, active.isHeard ? .stopped(by: cause) : .cancelled))
  }

  private mutating func noteStop(of active: ActivePlay, by cause: StopCause, at time: Instant) {
    active.stopCause = cause
    if active.isHeard { happenings.append(.stopping(active.play, at: time)) }
  }

  private mutating func removeWaiting(_ active: ActivePlay) {
    if let index = waiting.lastIndex(where: { $0 === active }) { waiting.remove(at: index) }
  }

  private mutating func finish(_ id: PlayID) {
    guard let active = plays[id] else { return }
    active.loops = false
    if let voice = active.voice { send(to: voice) { $0.endsLoop = true } }
  }

  private mutating func adjust(_ id: PlayID, _ settings: PlaySettings) {
    guard let active = plays[id] else { return }
    active.settings = settings
    sendSettings(of: active)
  }

  private mutating func sendSettings(of active: ActivePlay) {
    let settings = active.settings.scaled(by: loudness.gain(of: active.play))
    if let voice = active.voice { send(to: voice) { ($0.settings, $0.rank) = (settings, active.rank) } }
  }

  private mutating func refuse(_ play: Play, _ reason: PlayEvent.Refusal) {
    refusedCount += 1
    happenings.append(.refused(play, reason))
  }

  // MARK: Speech

  /// Receives that what a play says is heard.
  package mutating func speechHeard(_ id: PlayID) {
    guard let active = plays[id], !active.isHeard else { return }
    active.isHeard = true
    happenings.append(.heard(active.play, isMuted: isMuted(active.play)))
  }

  /// Receives that the speech of a play has ended. Refuses the play if nothing was heard of it, unless it is muted.
  package mutating func speechEnded(_ id: PlayID, _ refusal: PlayEvent.Refusal) {
    guard let active = plays[id] else { return }
    if isMuted(active.play) { speechHeard(id) }
    plays.end(active)
    if active.isHeard { happenings.append(.ended(active.play, .finished)) } else { refuse(active.play, refusal) }
  }

  private func isMuted(_ play: Play) -> Bool {
    !loudness.all.isAudible || !PlayLevel.isAudible(loudness.gain(of: play))
  }

  // MARK: Happenings

  /// Adds what the player does not know of.
  mutating func note(_ happening: Happening) { happenings.append(happening) }

  /// Empties `happenings`, and lets the output carry out what was performed.
  package mutating func finish() {
    // One after the other takes fewer instructions, because there are few.
    while !happenings.isEmpty { happenings.removeLast() }
    needsDevice = false
    wakeOutput()
  }

  /// Receives the reports of the audio thread; returns why the device was given up, if it was.
  @discardableResult
  package mutating func collect(at now: Instant) -> OutputError? {
    let error = output.collect { receive($0) }
    sink.note(isSilent: plays.all.isEmpty, at: now)
    retry(at: now)
    return error
  }

  private mutating func receive(_ report: VoiceReport) {
    switch report {
    case .heard(let voice, let latency): heard(voice, latency)
    case .refused(let voice):
      guard let active = removeOwner(of: voice) else { return }
      if active.isStopped { happenings.append(.ended(active.play, .cancelled)) } else { refuse(active.play, .crowded) }
    case .ended(let voice, let ending):
      guard let active = removeOwner(of: voice) else { return }
      ended(active, ending)
    }
  }

  @inline(__always)
  private mutating func ended(_ active: ActivePlay, _ ending: VoiceEnding) {
    let event: PlayEvent.Ending
    switch ending {
    case .finished: event = .finished
    case .stolen: event = .stolen
    case .lost where active.isHeard, .stopped: event = active.stopCause.map { .stopped(by: $0) } ?? .stolen
    case .unheard, .lost:
      if !active.isStopped { return refuse(active.play, .noDevice) }
      event = .cancelled
    }
    happenings.append(.ended(active.play, event))
  }

  private mutating func heard(_ voice: VoiceID, _ delay: VoiceReport.Latency?) {
    guard let active = plays[voice] else { return }
    let play = active.play
    active.isHeard = true
    happenings.append(.heard(play, isMuted: isMuted(play)))
    guard let delay else { return }
    latencies[play.rule, default: LatencyRecord()].record(delay)
  }

  /// Forgets a voice that ended; returns the play that had it, unless that was refused before.
  private mutating func removeOwner(of voice: VoiceID) -> ActivePlay? {
    if !unsent.isEmpty { unsent[voice] = nil }
    guard let active = plays[voice] else { return nil }
    plays.end(active)
    return active
  }

  // MARK: Time

  /// When to call `advance`; `nil`: nothing is due.
  package var nextDeadline: Instant? {
    if output.isReady { return retryDeadline }
    return plays.all.reduce(retryDeadline) { Instant.earlier($0, $1.deadline) }
  }

  /// Refuses the plays that no device took in time, and tries the rest again.
  package mutating func advance(to now: Instant) {
    if !output.isReady {
      for active in plays.all where active.deadline.map({ $0 <= now }) ?? false {
        plays.end(active)
        if let voice = active.voice {
          send(to: voice) { $0.stopFrames = 0 }
        } else {
          removeWaiting(active)
        }
        refuse(active.play, .noDevice)
      }
    }
    retry(at: now)
  }

  // MARK: Everything at once

  /// How loud the plays of a trigger are, or everything (`nil`).
  package func level(of trigger: String?) -> PlayLevel {
    if let trigger { loudness.triggers[trigger.ruleName] ?? PlayLevel() } else { loudness.all }
  }

  /// How loud the plays of single triggers are, beside everything; a trigger that is missing is at full level.
  package var levels: [String: PlayLevel] { loudness.triggers }

  /// Changes how loud the plays of a trigger are, or everything (`nil`), what sounds now included. What is muted plays on,
  /// unheard.
  package mutating func setLevel(_ level: PlayLevel, of trigger: String?) {
    guard let trigger else {
      loudness.all = level
      return masterGainChanged()
    }
    loudness.triggers[trigger] = level == PlayLevel() ? nil : level
    for active in plays.all where active.play.rule == trigger && !active.isStopped {
      sendSettings(of: active)
    }
    wakeOutput()
  }

  /// Lowers less important sounds, but no alarm; `nil`: no longer.
  package mutating func duck(_ duck: PlayLevels.Duck?) {
    if duck == loudness.duck { return }
    loudness.duck = duck
    for active in plays.all where !active.isStopped { sendSettings(of: active) }
    wakeOutput()
  }

  /// Fades out every sound that has begun, and drops the others.
  package mutating func stopAll(fade: Duration, by cause: StopCause, at now: Instant) {
    waiting.removeAll()
    for active in plays.all where active.voice == nil { end(active, by: cause, at: now) }
    for active in plays.all where !active.isStopped { noteStop(of: active, by: cause, at: now) }
    let frames = control.frames(in: fade)
    if control.stopAll(fadeFrames: frames) {
      needsWake = true
    } else {
      for active in plays.all {
        if let voice = active.voice { send(to: voice) { $0.stopFrames = frames } }
      }
    }
    wakeOutput()
  }

  /// From now on refuses every play.
  package mutating func refuseAll() { isEnding = true }

  /// Whether everything has ended and the device has played all of it.
  package var isSilent: Bool { waiting.isEmpty && output.isSilent }

  /// Every play that has not ended, in the order of their numbers.
  package var playing: [Play] { plays.all.map(\.play) }

  /// How many bytes the clips take that are loaded or play.
  package var clipBytes: Int {
    let loaded = sounds.clips
    var known = Set(loaded.map(ObjectIdentifier.init))
    let others = plays.all.compactMap(\.clip).filter { known.insert(ObjectIdentifier($0)).inserted }
    return (loaded + others).reduce(0) { $0 + $1.byteCount }
  }

  /// From the cause of a play to the ear, of all plays.
  package var latency: LatencyRecord { latencies.values.reduce(into: LatencyRecord()) { $0.add($1) } }

  /// Forgets all other triggers: their levels, and whose latencies they were; those now count as plays by hand.
  package mutating func keepRecords(of triggers: Set<String>) {
    loudness.triggers = loudness.triggers.filter { triggers.contains($0.key) }
    for (name, record) in latencies {
      guard let name, !triggers.contains(name) else { continue }
      latencies[name] = nil
      latencies[nil, default: LatencyRecord()].add(record)
    }
  }

  /// How many sounds began after a silence, because the sink had slept. `latencies` has none of them.
  package var wokenCount: Int { sink.pauseCount }

  /// What the mixer counts.
  package var statistics: MixerStatistics { control.statistics }

  // MARK: What the mixer had no room for

  /// Sends a command to a voice, now or as soon as the mixer has room.
  private mutating func send(to voice: VoiceID, _ change: (inout UnsentCommands) -> Void) {
    var commands = unsent.isEmpty ? UnsentCommands() : unsent[voice] ?? UnsentCommands()
    change(&commands)
    needsWake = true
    if commands.send(to: voice, of: control) {
      if !unsent.isEmpty { unsent[voice] = nil }
    } else {
      unsent[voice] = commands
      retryAtOnce()
    }
  }

  private mutating func masterGainChanged() {
    isMasterGainUnsent = true
    // While nothing sounds there is no need to wake the audio thread: the next start sends it.
    if control.activeCount == 0 { return }
    sendMasterGain()
    wakeOutput()
  }

  private mutating func sendMasterGain() {
    guard control.setMasterGain(Float(loudness.all.gain), fadeFrames: control.frames(in: Self.volumeRamp)) else {
      retryAtOnce()
      return
    }
    isMasterGainUnsent = false
    needsWake = true
  }

  /// Lets the next call of `collect` or `advance` try again what the mixer had no room for.
  private mutating func retryAtOnce() {
    if retryDeadline == nil { retryDeadline = Instant(nanoseconds: .min) }
  }

  private mutating func retry(at now: Instant) {
    if retryDeadline != nil {
      if isMasterGainUnsent { sendMasterGain() }
      for (voice, commands) in unsent {
        var commands = commands
        let isSent = commands.send(to: voice, of: control)
        unsent[voice] = isSent ? nil : commands
        needsWake = true
        if !isSent { break }
      }
      var started = 0
      while started < waiting.count, start(waiting[started]) { started += 1 }
      waiting.removeFirst(started)
      let isDone = waiting.isEmpty && unsent.isEmpty && !isMasterGainUnsent
      retryDeadline = isDone ? nil : now.advanced(by: Self.retryPause)
    }
    wakeOutput()
  }

  /// Wakes the output if there is a command for it.
  private mutating func wakeOutput() {
    if needsWake { output.wake() }
    needsWake = false
  }
}
