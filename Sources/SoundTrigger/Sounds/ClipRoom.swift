/// How many bytes of `limits.memory` clips may take.
package struct ClipRoom: Sendable {
  /// How many bytes contents and other clips leave.
  package var bytes: Int
  /// All of the memory.
  package var limit: Int
  /// Whether it counts for each sound, because they are played by hand. Otherwise the sounds that the configuration names itself are
  /// loaded in any case, and it counts for those of themes and packs.
  package var isForAll: Bool

  package init(bytes: Int, limit: Int, isForAll: Bool = false) {
    (self.bytes, self.limit, self.isForAll) = (bytes, limit, isForAll)
  }

  /// Takes the room for a clip; throws if there is less.
  mutating func take(_ clip: Clip, of path: String) throws(SoundError) {
    if clip.byteCount > bytes { throw refusal(of: path) }
    bytes -= clip.byteCount
  }

  /// Throws if a clip with this number of frames does not fit.
  func check(frames: Int, of path: String) throws(SoundError) {
    if Clip.byteCount(frames: frames) > bytes { throw refusal(of: path) }
  }

  /// The reason why a file cannot be loaded.
  package func refusal(of path: String) -> SoundError { .noRoom(path: path, left: max(0, bytes), limit: limit) }
}
