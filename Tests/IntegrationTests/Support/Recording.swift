import Foundation
import TestSupport

/// Stereo float32 at 48 kHz, interleaved: what was played, or what should have been.
struct Recording {
  var samples: [Float]

  var frames: Int { samples.count / 2 }

  init(silence frames: Int) { samples = Array(repeating: 0, count: 2 * frames) }

  init(samples: [Float]) { self.samples = samples }

  /// What ALSA's `file` device wrote.
  init(raw path: String) throws { self.init(float32: try Data(contentsOf: URL(fileURLWithPath: path))) }

  /// What `pw-record` wrote: its samples are the rest of the file.
  init(wav path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let start = data.range(of: Data("data".utf8))?.upperBound, data.count >= start + 4 else {
      throw TimedOut(description: "no WAV file: \(path)")
    }
    self.init(float32: data.dropFirst(start + 4))
  }

  private init(float32 data: Data) {
    samples = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8 * 2).map {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
  }

  /// What `sox` decodes of a sound file.
  init(decoding path: String) throws {
    let sox = try Program(
      "sox", [path, "-t", "raw", "-e", "floating-point", "-b", "32", "-L", "-c", "2", "-"],
      environment: ProcessInfo.processInfo.environment, folder: "/", input: .nothing)
    guard try sox.wait() == .exit(0) else { throw TimedOut(description: "sox: \(sox.errors)") }
    self.init(float32: Data(sox.output))
  }

  /// A shipped sound, as `sox` decodes it.
  init(shipped name: String) throws { try self.init(decoding: "\(Home.checkout)/sounds/\(name).wav") }

  /// The first frame from `start` on that is not silent.
  func onset(from start: Int = 0) -> Int? {
    samples.indices.dropFirst(2 * start).first { samples[$0] != 0 }.map { $0 / 2 }
  }

  /// Where a sound began, if the first frame from `start` on that is not silent is its first one that is not.
  func start(of sound: Recording, from start: Int = 0) throws -> Int {
    guard let here = onset(from: start), let there = sound.onset() else {
      throw TimedOut(description: "there is nothing to be heard from frame \(start) on")
    }
    return here - there
  }

  /// Adds a sound, which must fit.
  mutating func add(_ sound: Recording, at frame: Int) throws {
    guard frame >= 0, frame + sound.frames <= frames else {
      throw TimedOut(description: "a sound of \(sound.frames) frames at \(frame) is not whole within \(frames)")
    }
    for index in sound.samples.indices { samples[2 * frame + index] += sound.samples[index] }
  }

  /// The first frame in which both differ; `nil`: in none, and they are of one length.
  func difference(from other: Recording) -> Int? {
    let common = min(samples.count, other.samples.count)
    if let index = (0..<common).first(where: { samples[$0] != other.samples[$0] }) { return index / 2 }
    return samples.count == other.samples.count ? nil : common / 2
  }

  /// The largest step from one frame to the next.
  var largestStep: Float {
    guard samples.count > 2 else { return 0 }
    return (2..<samples.count).reduce(0) { max($0, abs(samples[$1] - samples[$1 - 2])) }
  }

  /// A sound of 100 frames whose samples are all the same, so that its plays can be counted by adding up a recording.
  static let click = WAVBuilder.int16(Array(repeating: 1000, count: 200), channels: 2, rate: 48_000)

  /// How many clicks were played, at whatever distance or on top of each other.
  var clicks: Double { samples.reduce(0) { $0 + Double($1) } / (200 * 1000 / 32_768) }

  /// A WAV file whose samples are all the same.
  static func constant(_ sample: Int16, seconds: Double) -> [UInt8] {
    WAVBuilder.int16(Array(repeating: sample, count: 2 * Int(48_000 * seconds)), channels: 2, rate: 48_000)
  }

  /// A WAV file with a sine of 300 Hz, a quarter of full scale.
  static func sine(seconds: Double) -> [UInt8] {
    let frames = Int(48_000 * seconds)
    let samples = (0..<frames).flatMap { frame in
      let sample = Int16((8192 * sin(2 * Double.pi * 300 * Double(frame) / 48_000)).rounded())
      return [sample, sample]
    }
    return WAVBuilder.int16(samples, channels: 2, rate: 48_000)
  }
}
