import Glibc

/// What the configuration asks of a device. The device may give something else: see `StreamFormat`.
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

  /// How long the device stays open while nothing plays.
  package var keepOpen = KeepOpen.automatic

  package enum KeepOpen: Equatable, Sendable {
    /// As long as its kind says (`StreamFormat.Kind.idleTime`).
    case automatic
    case always
    case atMost(Duration)
  }

  /// What a sink that has slept needs before it is heard.
  package var wake = Wake.automatic

  package enum Wake: Equatable, Sendable {
    /// 150 ms on a card for a screen, whose receiver needs them; otherwise none.
    case automatic
    /// A silence of this length.
    case after(Duration)
  }

  /// What `wake` may be, if it is a duration.
  package static let wakeTimes = Duration.zero...Duration.seconds(2)

  /// The factor of less important sounds while speech sounds, 0 to 1.
  package var duck = 1.0

  /// What `duck` may be in the configuration, in decibels.
  package static let ducks = 0.0...60

  /// Whether the process's RLIMIT_RTTIME may be lowered, as RealtimeKit demands. That of a library's host is its own.
  package var mayLimitRuntime = true

  /// What `keep_open` may be, if it is a duration.
  package static let keepOpenTimes = Duration.zero...Duration.seconds(86_400)

  package init(device: String = "default", rate: Int? = nil, channels: Int = 2, latency: Duration = .milliseconds(10)) {
    self.device = device
    self.rate = rate
    self.channels = channels
    self.latency = latency
  }

  /// The device name for a clock and no card.
  package static let noDevice = "none"
}

/// Why a device cannot be played on. Another device, or the same one later, may work.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The function that failed, such as `snd_pcm_open`.
  package var operation: String
  package var device: String
  /// A negative errno.
  package var code: Int32
  package var reason: String
  /// The first message of ALSA, or of a library below it, or `nil` if there was none.
  package var detail: String?

  package var description: String { "cannot play on '\(device)': \(reason) (\(operation))" }

  /// Whether the device let somebody wait: it stood still, blocked, or stopped right after each start.
  package var isStall: Bool { [EIO, EPIPE, ETIMEDOUT].contains(-code) && operation != "snd_pcm_open" }

  /// Whether a call of the device has not returned.
  package var isSilence: Bool { code == -ETIMEDOUT }

  /// The sound server that plays the device has ended.
  package static func noServer(_ server: String, _ device: String) -> OutputError {
    OutputError(operation: "connect", device: device, code: -EHOSTDOWN, reason: "\(server) does not run")
  }

  /// The device has another kind than before, and its sound server may come back.
  static func serverEnded(_ device: String) -> OutputError {
    OutputError(operation: "connect", device: device, code: -EHOSTDOWN, reason: "its sound server does not run")
  }

  /// The device works, and is given up to be opened again.
  static func reopening(_ device: String) -> OutputError {
    OutputError(
      operation: "playing", device: device, code: 0, reason: "it is opened again, because a sound server has started")
  }

  /// Whether the device works, and was given up to be opened again.
  package var isReopening: Bool { code == 0 }

  /// The device blocks: it is in a call that does not return.
  static func blocked(_ operation: String, _ device: String) -> OutputError {
    OutputError(operation: operation, device: device, code: -ETIMEDOUT, reason: "it does not answer")
  }
}

extension OutputError {
  /// What the output needs of the system has failed.
  init(_ error: SystemError, device: String) {
    self.init(operation: error.operation, device: device, code: -error.code, reason: error.reason)
  }
}
