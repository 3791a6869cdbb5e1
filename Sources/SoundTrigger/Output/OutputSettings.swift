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
  /// The formats that may be agreed on.
  package var formats = SampleFormat.allCases

  /// How long the device is kept open while nothing is heard.
  package var keepOpen = KeepOpen.automatic

  package enum KeepOpen: Equatable, Sendable {
    /// A card, which others may want, for 30 s; a sound server's device always.
    case automatic
    case always
    case atMost(Duration)
  }

  /// What `keep_open` may be, if it is a duration.
  package static let keepOpenTimes = Duration.zero...Duration.seconds(86_400)

  package init(device: String = "default", rate: Int? = nil, channels: Int = 2, latency: Duration = .milliseconds(10)) {
    self.device = device
    self.rate = rate
    self.channels = channels
    self.latency = latency
  }

  /// The device name that stands for no device.
  package static let noDevice = "none"
}
