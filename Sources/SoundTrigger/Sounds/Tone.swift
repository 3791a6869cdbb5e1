import Glibc

/// A sine with ramps, which its name describes: `tone:440 Hz 40 ms`.
package struct Tone: Equatable, Sendable {
  package static let prefix = "tone:"
  /// What follows the prefix, for messages.
  package static let form = "\"tone:440 Hz 40 ms\", with 20 Hz to 20 kHz and 1 ms to 10 s"
  /// How long it takes to begin and to end, so that it does not click; less if it is shorter than three of these. In seconds.
  private static let ramp = 0.005

  /// In Hz.
  private(set) var frequency: Double
  /// In seconds.
  let length: Double

  /// `nil` if the name is not that of a tone, or out of range.
  package init?(_ name: String) {
    guard name.hasPrefix(Self.prefix) else { return nil }
    let words = name.dropFirst(Self.prefix.count).split(separator: " ")
    guard words.count == 4, let frequency = Double(words[0]), let factor = ["Hz": 1.0, "kHz": 1000][words[1]],
      let length = Double(words[2]), let unit = ["ms": 0.001, "s": 1.0][words[3]],
      20...20_000 ~= frequency * factor, 0.001...10 ~= length * unit
    else { return nil }
    (self.frequency, self.length) = (frequency * factor, length * unit)
  }

  /// The tone higher by this factor, which is as long.
  package func raised(by factor: Double) -> Tone {
    var tone = self
    tone.frequency = min(20_000, max(20, factor * frequency))
    return tone
  }

  /// As loud as the shipped sounds.
  package func clip(rate: Int) throws(OutOfMemory) -> Clip {
    let count = Int((length * Double(rate)).rounded())
    // A higher one would be heard as another one.
    let frequency = min(frequency, 0.45 * Double(rate))
    let ramp = min(Self.ramp, length / 3) * Double(rate)
    let samples = (0..<count).map { frame in
      // The first and the last frame are not silent, because then the ramps would be longer than they are said to be.
      let part = min(1, (Double(min(frame, count - 1 - frame)) + 0.5) / ramp)
      return Float(0.5 * (1 - cos(.pi * part)) / 2 * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
    }
    return try Clip(samples, channels: 1, rate: rate).normalized()
  }
}
