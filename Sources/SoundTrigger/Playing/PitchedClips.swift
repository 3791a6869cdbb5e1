import Glibc

/// The copies of clips at other pitches, shared by all plays that sound at this moment.
///
/// Thousands of members of a rule may have a pitch each. So pitches are rounded to quarters of a semitone, and a copy lives only
/// while a play uses it.
struct PitchedClips {
  /// The steps of a semitone. The ear hears a quarter of one only side by side.
  private static let steps: Float = 4

  private struct Key: Hashable {
    var clip: ObjectIdentifier
    var step: Int
    var loops: Bool
  }

  private struct Copy {
    /// Weak, because another clip may get the address of one that is gone.
    weak var source: Clip?
    weak var clip: Clip?
  }

  private var copies: [Key: Copy] = [:]

  /// A clip at the pitch of a play, if it has that pitch or another play uses a copy; `nil` if a copy has to be made.
  func clip(_ clip: Clip, for play: Play) -> Clip? {
    let key = Self.key(clip, play)
    if key.step == 0 { return clip }
    guard let copy = copies[key], copy.source === clip else { return nil }
    return copy.clip
  }

  /// Makes a copy of a clip at the pitch of a play. Returns `nil` if the copy would take more bytes than `room`. Returns the clip itself
  /// if it is too long, or if the system has no memory.
  mutating func makeClip(_ clip: Clip, for play: Play, room: Int) -> Clip? {
    let key = Self.key(clip, play)
    let factor = pow(2, Double(key.step) / Double(Self.steps) / 12)
    guard let pitched = Self.copy(of: clip, by: factor, for: play, room: room) else { return nil }
    // Entries of clips that are gone are dropped.
    if copies.count >= 1000 { copies = copies.filter { $0.value.clip != nil } }
    copies[key] = Copy(source: clip, clip: pitched)
    return pitched
  }

  private static func key(_ clip: Clip, _ play: Play) -> Key {
    let range = Mapping.pitches
    let pitch = min(Float(range.upperBound), max(Float(range.lowerBound), play.settings.pitch))
    return Key(clip: ObjectIdentifier(clip), step: Int((pitch * steps).rounded()), loops: play.loops)
  }

  private static func copy(of clip: Clip, by factor: Double, for play: Play, room: Int) -> Clip? {
    let tone = Tone(play.sound).flatMap { $0.length <= Double(Clip.longestPitched) ? $0 : nil }
    if tone == nil, clip.frameCount > Clip.longestPitched * clip.rate { return clip }
    // A tone keeps its length.
    let frames = tone == nil ? clip.pitchedFrames(by: factor) : clip.frameCount
    if Clip.byteCount(frames: frames) > room { return nil }
    if let tone { return (try? tone.raised(by: factor).clip(rate: clip.rate)) ?? clip }
    return (try? clip.pitched(by: factor, loops: play.loops)) ?? clip
  }
}
