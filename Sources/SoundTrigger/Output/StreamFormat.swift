/// What a device and we agreed on.
package struct StreamFormat: Equatable, Sendable {
  package var format: SampleFormat
  /// Frames per second.
  package var rate: Int
  package var channels: Int
  /// Frames between two wake-ups.
  package var periodFrames: Int
  /// Frames the device holds.
  package var bufferFrames: Int
  /// Whether frames are written straight into the device's memory.
  package var isMapped: Bool

  package init(
    format: SampleFormat, rate: Int, channels: Int, periodFrames: Int, bufferFrames: Int, isMapped: Bool
  ) {
    self.format = format
    self.rate = rate
    self.channels = channels
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
    self.isMapped = isMapped
  }
}
