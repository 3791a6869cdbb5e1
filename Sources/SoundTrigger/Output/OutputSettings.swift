/// What is asked of a device; it may give something else.
package struct OutputSettings: Equatable, Sendable {
  /// What `rate` may be.
  package static let rates = 8000...192_000
  /// What `channels` may be.
  package static let channelCounts = 1...8
  /// What `latency` may be.
  package static let latencies = Duration.milliseconds(1)...Duration.seconds(2)

  /// An ALSA PCM name, or `none` for a clock and no card.
  package var device: String
  /// Frames per second; `nil` leaves it to the device, 48,000 preferred.
  package var rate: Int?
  package var channels: Int
  /// The length of the device's buffer.
  package var latency: Duration

  package init(device: String = "default", rate: Int? = nil, channels: Int = 2, latency: Duration = .milliseconds(10)) {
    self.device = device
    self.rate = rate
    self.channels = channels
    self.latency = latency
  }

  /// The device name that stands for no device.
  package static let noDevice = "none"
}
