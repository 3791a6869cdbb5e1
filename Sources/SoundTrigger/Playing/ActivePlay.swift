/// A play from the decision to its end; then the object stands for another one.
final class ActivePlay {
  private(set) var play: Play
  /// `nil` after the end.
  var clip: Clip?
  /// Whether the clip has to be replaced by a copy at the play's pitch before it starts.
  var needsPitch = false
  /// Those of the play, unless a reload has changed them.
  var settings = PlaySettings()
  var loops = false
  /// When its cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0: unknown.
  private(set) var arrival: Int64 = 0
  /// `nil` while the mixer has no room for it.
  var voice: VoiceID?
  /// Why the trigger stopped it; `nil` if nothing did.
  var stopCause: StopCause?
  var isHeard = false

  init(_ play: Play) { self.play = play }

  /// Stands for this play from now on; the one before has ended.
  func begin(_ play: Play, _ clip: Clip, arrival: Int64) {
    self.play = play
    self.clip = clip
    needsPitch = play.settings.pitch != 0
    settings = play.settings
    loops = play.loops
    self.arrival = arrival
    voice = nil
    stopCause = nil
    isHeard = false
  }

  var isStopped: Bool { stopCause != nil }

  /// What the mixer compares. A critical alarm loses its voice to no other sound, but to another critical alarm.
  var rank: UInt8 { settings.importance.rank + (settings.importance == .critical && play.isAlarm ? 1 : 0) }

  /// When it is refused unless a device takes it before; `nil`: never.
  var deadline: Instant? { isHeard || isStopped ? nil : play.fresh.map(play.at.advanced) }
}

/// The plays that have not ended, by their numbers and by their voices.
struct ActivePlays {
  /// In the order of their numbers.
  private(set) var all: [ActivePlay] = []
  /// Whose voice has a slot of the mixer's control side.
  private var owners: [ActivePlay?] = []
  /// Objects whose plays have ended, to be used again.
  private var ended: [ActivePlay] = []

  subscript(id: PlayID) -> ActivePlay? {
    let index = index(of: id)
    return index < all.count && all[index].play.id == id ? all[index] : nil
  }

  subscript(voice: VoiceID) -> ActivePlay? { voice.slot < owners.count ? owners[voice.slot] : nil }

  /// Adds a play, which has no voice yet.
  mutating func begin(_ play: Play, _ clip: Clip, arrival: Int64) -> ActivePlay {
    let index = index(of: play.id)
    precondition(index == all.count || all[index].play.id != play.id, "a play begins once: \(play.id)")
    let active = ended.popLast() ?? ActivePlay(play)
    active.begin(play, clip, arrival: arrival)
    if index == all.count { all.append(active) } else { all.insert(active, at: index) }
    return active
  }

  mutating func setVoice(_ voice: VoiceID, of active: ActivePlay) {
    active.voice = voice
    while owners.count <= voice.slot { owners.append(nil) }
    owners[voice.slot] = active
  }

  /// Removes a play. The object keeps its `voice` until it stands for another play.
  mutating func end(_ active: ActivePlay) {
    let index = index(of: active.play.id)
    // Most often it is the only one.
    if index == all.count - 1 { all.removeLast() } else { all.remove(at: index) }
    if let voice = active.voice { owners[voice.slot] = nil }
    active.clip = nil
    ended.append(active)
  }

  /// The index of a play in `all`, or where it would be.
  private func index(of id: PlayID) -> Int {
    // Most often it is one of the latest.
    if let last = all.last, last.play.id.rawValue < id.rawValue { return all.count }
    var range = all.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = all[middle].play.id.rawValue < id.rawValue ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

/// The commands for a voice that the mixer had no room for.
struct UnsentCommands {
  var settings: PlaySettings?
  /// The rank that goes with `settings`.
  var rank: UInt8 = 0
  var endsLoop = false
  /// The length of the fade.
  var stopFrames: Int?

  /// Returns false, and keeps the rest, if the mixer has no room for all of it.
  mutating func send(to voice: VoiceID, of control: MixerControl) -> Bool {
    if let frames = stopFrames { return control.stop(voice, fadeFrames: frames) }
    if let new = settings {
      guard
        control.setGain(
          voice, gain: Float(new.volume), pan: Float(new.pan), importance: rank,
          fadeFrames: control.frames(in: Player.volumeRamp))
      else { return false }
      settings = nil
    }
    if endsLoop, !control.endLoop(voice) { return false }
    return true
  }
}

extension PlaySettings {
  /// The same, at a level that is this factor of its own.
  func scaled(by gain: Double) -> PlaySettings {
    var settings = self
    settings.volume *= gain
    return settings
  }
}
