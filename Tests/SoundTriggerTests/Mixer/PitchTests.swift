import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

struct PitchTests {
  private func sine(_ frequency: Double, frames: Int) throws -> Clip {
    try Clip(
      (0..<frames).flatMap { [Float](repeating: Float(sin(2 * .pi * frequency * Double($0) / 48_000)), count: 2) },
      rate: 48_000)
  }

  /// How far a clip is from a sine, at most; `frames` from its beginning to its end.
  private func error(_ clip: Clip, _ frequency: Double, _ frames: Range<Int>) -> Double {
    frames.map { abs(Double(clip.frames[2 * $0]) - sin(2 * .pi * frequency * Double($0) / 48_000)) }.max() ?? 0
  }

  @Test(arguments: [0.25, 0.7, 1.0595, 2, 4]) func `a sine stays one, higher and shorter by the factor`(
    factor: Double
  ) throws {
    let clip = try sine(300, frames: 24_000).pitched(by: factor, loops: false)
    #expect(clip.frameCount == Int((24_000 / factor).rounded()))
    #expect(error(clip, 300 * factor, 4..<clip.frameCount - 20) < 2e-4)
  }

  @Test func `both channels keep their places`() throws {
    let clip = try Clip([Float](repeating: 0, count: 100).flatMap { _ in [Float(0.5), -0.25] }, rate: 48_000)
    let pitched = try clip.pitched(by: 1.5, loops: true)
    for frame in 0..<pitched.frameCount {
      #expect(abs(pitched.frames[2 * frame] - 0.5) < 1e-6 && abs(pitched.frames[2 * frame + 1] + 0.25) < 1e-6)
    }
  }

  @Test(arguments: [0.5, 1.335, 3]) func `a loop has no seam`(factor: Double) throws {
    // 150 whole periods, and again as many.
    let clip = try sine(300, frames: 24_000).pitched(by: factor, loops: true)
    let real = 24_000 / Double(clip.frameCount)
    #expect(error(clip, 300 * real, 0..<clip.frameCount) < 2e-4)
  }

  @Test func `a sound is lowered until it takes five seconds`() throws {
    let clip = try Clip([Float](repeating: 0.5, count: 2 * 4000), rate: 1000)
    #expect(try clip.pitched(by: 0.9, loops: false).frameCount == 4444)
    #expect(try clip.pitched(by: 0.25, loops: false).frameCount == 1000 * Clip.longestPitched)
  }

  @Test func `a sound of one frame stays one, and a long one keeps its pitch`() throws {
    #expect(try Clip([1, 1], rate: 48_000).pitched(by: 4, loops: true).frameCount == 1)
    let long = try Clip([Float](repeating: 0, count: 2 * (Clip.longestPitched * 1000 + 1)), rate: 1000)
    #expect(try long.pitched(by: 2, loops: false) === long)
  }
}
