/// How far ahead of a device is written. Pure; counts frames.
struct AudioPlan {
  /// Frames beyond the device's position that are to be written.
  let ahead: Int
  /// How few of those may be left before it is done again.
  let least: Int

  /// `isStorm`: commands come one upon the other, so that most of what is written far ahead would be written again.
  @_noLocks init(_ stream: StreamFormat, canRewind: Bool, isStorm: Bool) {
    if canRewind {
      let wanted = isStorm ? stream.rate / 20 : stream.rate / 4
      ahead = min(
        min(wanted, Mixer.aheadLimit()), max(stream.bufferFrames &- stream.periodFrames, stream.bufferFrames / 2))
      least = ahead / 2
    } else {
      ahead = min(stream.bufferFrames, max(stream.shortFrames, 2 &* stream.periodFrames))
      least = max(ahead / 2, ahead &- stream.periodFrames)
    }
  }
}
