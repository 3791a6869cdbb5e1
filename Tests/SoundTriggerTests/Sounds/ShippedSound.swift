import CALSA
import Foundation

/// A file of `sounds/`, read with libsndfile alone: what the product's loader does to it is tested elsewhere.
struct ShippedSound {
  let name: String
  /// The samples as they are stored.
  let stored: [Int16]
  let rate: Int
  let channels: Int

  /// Full scale is 1.
  var samples: [Double] { stored.map { Double($0) / 32_768 } }
  var seconds: Double { Double(stored.count / channels) / Double(rate) }
  /// The greatest sample in dBFS.
  var peak: Double { Self.decibels(samples.map(abs).max() ?? 0) }
  var loudness: Double { KWeightedLoudness.ofLoudestTenth(samples) }

  /// The repository's `sounds/`.
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "sounds")

  static func file(_ name: String, in folder: URL = folder) -> URL { folder.appending(path: "\(name).wav") }

  static func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }

  init(_ name: String, in folder: URL = folder) throws {
    let path = Self.file(name, in: folder).path
    var info = SF_INFO()
    guard let file = sf_open_fd(open(path, O_RDONLY), Int32(SFM_READ), &info, 1) else {
      throw Unreadable(path: path, reason: String(cString: sf_strerror(nil)))
    }
    defer { sf_close(file) }

    var samples = [Float](repeating: 0, count: Int(info.frames) * Int(info.channels))
    guard sf_readf_float(file, &samples, info.frames) == info.frames else {
      throw Unreadable(path: path, reason: "it ends early")
    }
    self.name = name
    stored = samples.map { Int16($0 * 32_768) }
    rate = Int(info.samplerate)
    channels = Int(info.channels)
  }

  /// The spectrum of a part of the sound, given in fractions of its length.
  func spectrum(of part: Range<Double> = 0..<1) -> PowerSpectrum {
    let samples = samples
    let first = Int(part.lowerBound * Double(samples.count))
    let end = Int(part.upperBound * Double(samples.count))
    var size = 8_192
    while size < end - first { size *= 2 }
    return PowerSpectrum(samples[first..<end], rate: Double(rate), size: size)
  }

  struct Unreadable: Error, CustomStringConvertible {
    let path: String
    let reason: String
    var description: String { "\(path): \(reason); sounds/make-sounds makes it again" }
  }
}
