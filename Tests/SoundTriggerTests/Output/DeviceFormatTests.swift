import CLinux
import Foundation
import SoundTrigger
import TestSupport
import Testing

/// What a device or a WAV file receives, compared with what sox makes of the same sound.
@Suite struct DeviceFormatTests {
  let folder = TemporaryFolder()

  struct Layout: CustomTestStringConvertible, Sendable {
    var format: SampleFormat
    var channels: Int
    var rate: Int
    var testDescription: String { "\(format), \(channels) channels, \(rate) Hz" }
  }

  /// Every format, every number of channels and rates from end to end.
  static let layouts =
    SampleFormat.allCases.flatMap { format in
      [(2, 48_000), (1, 8000), (6, 192_000)].map { Layout(format: format, channels: $0.0, rate: $0.1) }
    }
    + [(3, 44_100), (4, 96_000), (5, 11_025), (7, 88_200), (8, 176_400)].map {
      Layout(format: .int24Packed, channels: $0.0, rate: $0.1)
    }

  /// Plays a sound and returns what ALSA's file device wrote of it.
  private func play(_ samples: [Float], _ layout: Layout) throws -> [UInt8] {
    let path = folder("out.raw")
    var settings = OutputSettings(device: "file:\(path),raw", rate: layout.rate, channels: layout.channels)
    settings.formats = [layout.format]
    let output = try Output(settings)
    let device = try #require(output.device, "\(String(describing: output.deviceError))")
    #expect(device.format == layout.format)
    #expect(device.rate == layout.rate)
    #expect(device.channels == layout.channels)
    #expect(output.control.start(Clip(stereo: samples, rate: layout.rate)) != nil)
    output.wake()
    let deadline = Date().addingTimeInterval(atMost(20))
    while !output.isSilent, Date() < deadline {
      _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), 1_000_000_000)
      #expect(output.collect() == nil)
    }
    output.stop()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The same sound as sox converts it, without dither.
  private func convert(_ samples: [Float], _ layout: Layout) throws -> [UInt8] {
    let source = folder.write("in.raw", samples.flatMap { sample in withUnsafeBytes(of: sample) { Array($0) } })
    let encoding =
      switch layout.format {
      case .float32: ["-e", "floating-point", "-b", "32"]
      case .int32: ["-e", "signed-integer", "-b", "32"]
      case .int24, .int24Packed: ["-e", "signed-integer", "-b", "24"]
      case .int16: ["-e", "signed-integer", "-b", "16"]
      }
    // One channel is the mean of both; beyond two there is silence.
    let remix = layout.channels == 1 ? ["-"] : (1...layout.channels).map { $0 <= 2 ? "\($0)" : "0" }
    try sox(
      ["-D", "-t", "raw", "-e", "floating-point", "-b", "32", "-c", "2", "-r", "\(layout.rate)", source]
        + ["-t", "raw"] + encoding + ["-L", folder("expected.raw"), "remix"] + remix)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("expected.raw"))))
  }

  private func sox(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sox"] + arguments
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// Renders a sound into a WAV file and returns the samples that sox finds in it.
  private func render(_ samples: [Float], _ layout: Layout) throws -> [UInt8] {
    let path = folder("out.wav")
    let writer = try WAVWriter(path: path, rate: layout.rate, channels: layout.channels)
    let output = OfflineOutput(writer: writer, rate: layout.rate)
    #expect(output.control.start(Clip(stereo: samples, rate: layout.rate)) != nil)
    while !output.isSilent {
      _ = try output.advance(to: nil)
      _ = output.collect()
    }
    try output.finish()
    try sox([path, "-t", "raw", "-e", "floating-point", "-b", "32", "-L", folder("out.raw")])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("out.raw"))))
  }

  @Test(arguments: OutputSettings.channelCounts) func `a WAV file gets what sox makes of the sound`(
    channels: Int
  ) throws {
    let layout = Layout(format: .float32, channels: channels, rate: 44_100)
    let samples = [0.5, -0.5] + noise(frames: 3001, seed: 22, peak: 0.9) + [0.25, 0.25]
    let rendered = try render(samples, layout)
    #expect(rendered.count == 4 * channels * (samples.count / 2))
    #expect(try difference(rendered, try convert(samples, layout), layout) <= 0x1p-24)
  }

  /// Signed samples, as parts of full scale.
  private func decode(_ bytes: [UInt8], _ format: SampleFormat, width: Int) -> [Double] {
    stride(from: 0, to: bytes.count - width + 1, by: width).map { at in
      var word: UInt32 = 0
      for index in 0..<width { word |= UInt32(bytes[at + index]) << (8 * index) }
      switch (format, width) {
      case (.float32, _): return Double(Float(bitPattern: word))
      case (_, 4) where format == .int24: return Double(Int32(bitPattern: word)) / 0x1p23
      default: return Double(Int32(bitPattern: word << (32 - 8 * width))) / 0x1p31
      }
    }
  }

  /// How far apart both are at the most, after the silence before the sound; in parts of full scale.
  private func difference(_ heard: [UInt8], _ expected: [UInt8], _ layout: Layout) throws -> Double {
    let one = decode(heard, layout.format, width: layout.format == .int24Packed ? 3 : layout.format == .int16 ? 2 : 4)
    let isTriple = layout.format == .int24 || layout.format == .int24Packed
    let other = decode(
      expected, isTriple ? .int24Packed : layout.format, width: isTriple ? 3 : layout.format == .int16 ? 2 : 4)
    let begin = try #require(one.firstIndex { $0 != 0 }) / layout.channels * layout.channels
    let firstExpected = try #require(other.firstIndex { $0 != 0 }) / layout.channels * layout.channels
    let count = other.count - firstExpected
    guard begin + count <= one.count else { return .infinity }
    let worst = (0..<count).map { abs(one[begin + $0] - other[firstExpected + $0]) }.max() ?? .infinity
    // The dither of 16 bits goes on to the end of the block that the sound ends in.
    let rest = one[(begin + count)...]
    let dithered = layout.format == .int16 ? rest.prefix(Mixer.maximumFrames * layout.channels) : []
    let isQuietAfter = dithered.allSatisfy { abs($0) <= 0x1p-15 }
    let isSilentAfter = rest.dropFirst(dithered.count).allSatisfy { $0 == 0 }
    #expect(isQuietAfter && isSilentAfter)
    return worst
  }

  @Test(arguments: layouts) func `a device gets what sox makes of the sound`(layout: Layout) throws {
    let samples = [0.5, -0.5] + noise(frames: layout.rate / 40, seed: 21, peak: 0.9) + [0.25, 0.25]
    let worst = try difference(try play(samples, layout), try convert(samples, layout), layout)
    // Rounding of one channel's mean, and of sox itself, which works with 32-bit integers.
    switch layout.format {
    case .float32: #expect(worst <= 0x1p-24)
    case .int32: #expect(worst <= 0x1p-24)
    case .int24, .int24Packed: #expect(worst <= 0x1p-23)
    // Ours is dithered by up to one bit more.
    case .int16: #expect(worst > 0 && worst <= 2 * 0x1p-15)
    }
  }

  @Test(arguments: [2, 6]) func `a 16-bit sound reaches a 16-bit device bit for bit`(channels: Int) throws {
    let samples = noise(frames: 1200, seed: 4).map { (($0 * 32_768).rounded() + 0) / 32_768 }
    let layout = Layout(format: .int16, channels: channels, rate: 48_000)
    #expect(try difference(try play(samples, layout), try convert(samples, layout), layout) == 0)
  }
}
