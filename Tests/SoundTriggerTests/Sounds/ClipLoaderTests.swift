import AllocationCounter
import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

@Suite struct ClipLoaderTests {
  let folder = TemporaryFolder()

  @Test func `a 16-bit file at the device's rate is decoded exactly`() throws {
    let samples: [Int16] = [0, 1, -1, 32_767, -32_768, 1000]
    let path = folder.write("a.wav", WAVBuilder.int16(samples, channels: 2, rate: 48_000))
    let clip = try ClipLoader(rate: 48_000).load(path: path)
    #expect(clip.samples == samples.map { Float($0) / 32_768 })
    #expect(clip.frameCount == 3)
    #expect(clip.rate == 48_000)
  }

  @Test func `a mono file of another rate sounds as one with two equal channels does`() throws {
    let samples = (0..<20_000).map { Int16(truncatingIfNeeded: $0 * $0 * 7) }
    let mono = folder.write("mono.wav", WAVBuilder.int16(samples, channels: 1, rate: 44_100))
    let doubled = samples.flatMap { [$0, $0] }
    let stereo = folder.write("stereo.wav", WAVBuilder.int16(doubled, channels: 2, rate: 44_100))
    let loader = ClipLoader(rate: 48_000)
    #expect(try loader.load(path: mono).samples == loader.load(path: stereo).samples)
  }

  @Test func `a mono file sounds on both sides at full level`() throws {
    let path = folder.write("a.wav", WAVBuilder.int16([100, -200], channels: 1, rate: 48_000))
    let clip = try ClipLoader(rate: 48_000).load(path: path)
    #expect(clip.samples == [100, 100, -200, -200].map { Float($0) / 32_768 })
  }

  @Test func `5.1 is folded to stereo after ITU-R BS.775 without passing full scale`() throws {
    // Front left alone, then the centre alone, then everything at once.
    let frames: [Float] = [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    let path = folder.write("a.wav", WAVBuilder.float32(frames, channels: 6, rate: 48_000))
    let clip = try ClipLoader(rate: 48_000).load(path: path)
    let scale = 1 / (1 + 2 * 0.5.squareRoot())
    let expected = [scale, 0, scale * 0.5.squareRoot(), scale * 0.5.squareRoot(), 1, 1]
    #expect(zip(clip.samples, expected).allSatisfy { abs(Double($0) - $1) < 1e-6 })
  }

  @Test(arguments: [1, 2, 3])
  func `a file of many blocks is decoded whole`(channels: Int) throws {
    var generator = SplitMix64(seed: 7)
    let samples = (0..<30_001 * channels).map { _ in Int16.random(in: -32_768...32_767, using: &generator) }
    let path = folder.write("a.wav", WAVBuilder.int16(samples, channels: channels, rate: 48_000))
    let decoded = try ClipLoader(rate: 48_000).load(path: path).samples
    #expect(decoded.count == 2 * 30_001)
    // Three channels are left, right and centre: compared where only arithmetic with rounding can tell them apart.
    let half = Float(0.5).squareRoot()
    let worst = (0..<30_001).reduce(Float(0)) { worst, frame in
      let all = (0..<channels).map { Float(samples[frame * channels + $0]) / 32_768 }
      let left = channels == 3 ? (all[0] + half * all[2]) / (1 + half) : all[0]
      let right = channels == 1 ? all[0] : channels == 2 ? all[1] : (all[1] + half * all[2]) / (1 + half)
      return max(worst, abs(decoded[2 * frame] - left), abs(decoded[2 * frame + 1] - right))
    }
    #expect(worst <= (channels == 3 ? 1e-6 : 0))
  }

  @Test(arguments: [48_000, 44_100])
  func `a header that does not know how much follows, or promises too much, is no hindrance`(rate: Int) throws {
    let samples = noise(frames: 20_000, seed: 3).map { Int16($0 * 32_767) }
    let wav = folder.write("a.wav", WAVBuilder.int16(samples, channels: 2, rate: rate))
    let expected = try ClipLoader(rate: 48_000).load(path: wav).samples
    let path = folder("a.flac")
    try run("/usr/bin/sox", wav, path)
    var flac = try Data(contentsOf: URL(fileURLWithPath: path))
    // The last 36 bits of STREAMINFO before its checksum are the number of samples (RFC 9639, section 8.2); 0 is unknown.
    for count in [0, 30_000] {
      flac.replaceSubrange(21..<26, with: [flac[21] & 0xF0, 0, 0, UInt8(count >> 8), UInt8(count & 255)])
      let decoded = try ClipLoader(rate: 48_000).load(path: folder.write("b.flac", flac)).samples
      let isEqual = decoded == expected
      #expect(isEqual, "\(count) promised: \(decoded.count) samples instead of \(expected.count)")
    }
  }

  @Test func `a clip has silence before and after it, even in used memory`() throws {
    let path = folder.write("a.wav", WAVBuilder.int16([Int16](repeating: 99, count: 10_000), channels: 2, rate: 48_000))
    for _ in 0..<50 {
      // Memory that was used before is not zero.
      let clip = try ClipLoader(rate: 48_000).load(path: path)
      let before = (1...2 * Clip.padding).allSatisfy { clip.frames[-$0] == 0 }
      let behind = (0..<2 * Clip.padding).allSatisfy { clip.frames[2 * clip.frameCount + $0] == 0 }
      #expect(before && behind)
    }
  }

  /// Runs a program to its end.
  private func run(_ program: String, _ arguments: String...) throws {
    let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func `another rate is resampled with 120 dB of signal to noise at 15 kHz`() throws {
    let source = (0..<44_100).flatMap { frame in
      [Float](repeating: Float(0.5 * sin(2 * .pi * 15_000 * Double(frame) / 44_100)), count: 2)
    }
    let path = folder.write("a.wav", WAVBuilder.float32(source, channels: 2, rate: 44_100))
    let clip = try ClipLoader(rate: 48_000).load(path: path)
    #expect(clip.frameCount == 48_000)
    let samples = clip.samples
    // Noise is what is left beside the sine itself, whatever its phase and level: found by projection, over whole
    // periods (16 frames in 5) and away from the ends, where the filter rings.
    let left = (4000..<44_000).map { Double(samples[2 * $0]) }
    let phases = left.indices.map { 2 * .pi * 15_000 * Double($0) / 48_000 }
    let sine = zip(left, phases).reduce(0) { $0 + $1.0 * sin($1.1) } * 2 / Double(left.count)
    let cosine = zip(left, phases).reduce(0) { $0 + $1.0 * cos($1.1) } * 2 / Double(left.count)
    let error = zip(left, phases).reduce(0) { $0 + pow($1.0 - sine * sin($1.1) - cosine * cos($1.1), 2) }
    let signal = left.reduce(0) { $0 + $1 * $1 }
    #expect(abs((sine * sine + cosine * cosine).squareRoot() - 0.5) < 1e-4)
    #expect(10 * log10(signal / error) > 120)
  }

  @Test func `a missing file and a corrupt one are different errors`() throws {
    let loader = ClipLoader(rate: 48_000)
    let missing = folder("missing.wav")
    #expect(throws: SoundError.missing(path: missing)) {
      try loader.load(path: missing)
    }
    let text = folder.write("text.wav", "this is no sound")
    #expect {
      try loader.load(path: text)
    } throws: {
      "\($0)".hasPrefix("cannot decode the sound \(text): ")
    }
    let empty = folder.write("empty.wav", WAVBuilder.int16([], channels: 2, rate: 48_000))
    #expect(throws: SoundError.corrupt(path: empty, reason: "it holds no sound")) { try loader.load(path: empty) }
    #expect(throws: SoundError.unreadable(path: folder.path, reason: "it is not a regular file")) {
      try loader.load(path: folder.path)
    }
  }

  @Test(.enabled(if: allocation_counter_is_active() != 0, "a sanitizer replaces malloc"))
  func `a file that cannot be loaded leaves no memory behind`() {
    let text = folder.write("text.wav", "this is no sound")
    let rounds = 20_000
    let before = allocation_counter_bytes_in_use()
    for _ in 0..<rounds { _ = try? ClipLoader(rate: 48_000).load(path: text) }
    let more = Int(allocation_counter_bytes_in_use()) - Int(before)
    // Half a block each would be 300 MB, which no test beside this one needs.
    #expect(more < rounds * SoundDecoder.blockFrames * 4, "\(more) bytes")
  }

  @Test func `a FIFO in place of a sound does not block`() throws {
    let path = folder("fifo.wav")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: SoundError.unreadable(path: path, reason: "it is not a regular file")) {
      try ClipLoader(rate: 48_000).load(path: path)
    }
  }

  @Test func `samples that are no numbers, or far beyond full scale, are refused`() throws {
    for (sample, text) in [(Float.nan, "nan"), (-.infinity, "-inf"), (3e38, "3e+38"), (-16.5, "-16.5")] {
      let path = folder.write("bad.wav", WAVBuilder.float32([0, sample], channels: 2, rate: 48_000))
      let reason = "it holds a sample of \(text), where full scale is 1"
      #expect(throws: SoundError.corrupt(path: path, reason: reason)) {
        try ClipLoader(rate: 48_000).load(path: path)
      }
    }
  }

  @Test func `a header that promises more than any memory holds is not believed`() throws {
    // A FLAC of one STREAMINFO block alone: 8 channels, 655,350 Hz, 2^36 - 1 samples (RFC 9639, section 8.2).
    let streamInfo: [UInt8] =
      [0x10, 0x00, 0x10, 0x00, 0, 0, 0, 0, 0, 0, 0x9F, 0xFF, 0x6E, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
      + [UInt8](repeating: 0, count: 16)
    let path = folder.write("evil.flac", Array("fLaC".utf8) + [0x80, 0, 0, 34] + streamInfo)
    #expect(throws: SoundError.self) { try ClipLoader(rate: 48_000, limitSeconds: 86_400).load(path: path) }
  }

  @Test func `a sound over the limit is refused and one at the limit is not`() throws {
    let second = [Int16](repeating: 1, count: 8000)
    let loader = ClipLoader(rate: 8000, limitSeconds: 1)
    let exact = folder.write("exact.wav", WAVBuilder.int16(second, channels: 1, rate: 8000))
    #expect(try loader.load(path: exact).frameCount == 8000)
    let over = folder.write("over.wav", WAVBuilder.int16(second + [1], channels: 1, rate: 8000))
    #expect(throws: SoundError.tooLong(path: over, limitSeconds: 1)) { try loader.load(path: over) }
  }

  @Test func `a WAV file that was cut off plays what is left, and says so`() throws {
    let bytes = WAVBuilder.int16([Int16](repeating: 9, count: 64), channels: 2, rate: 48_000)
    let loader = ClipLoader(rate: 48_000)
    #expect(try loader.load(path: folder.write("whole.wav", bytes)).truncation == nil)
    let cut = try loader.load(path: folder.write("cut.wav", bytes[..<(bytes.count - 40)]))
    #expect(cut.frameCount == 22)
    #expect(
      cut.truncation
        == "it was cut off: \(bytes.count) bytes are promised by its header, and \(bytes.count - 40) are there")
    // A program that wrote into a pipe could not know the size.
    var piped = bytes
    piped.replaceSubrange(4..<8, with: [255, 255, 255, 255])
    #expect(try loader.load(path: folder.write("piped.wav", piped)).truncation == nil)
  }

  @Test func `every truncation of a file gives a clip or an error`() throws {
    let bytes = WAVBuilder.int16([Int16](repeating: 9, count: 64), channels: 2, rate: 48_000)
    let loader = ClipLoader(rate: 48_000)
    for length in 0..<bytes.count {
      let path = folder.write("cut.wav", bytes[..<length])
      do {
        #expect(try loader.load(path: path).frameCount <= 32)
      } catch {
        #expect("\(error)".contains(path))
      }
    }
  }
}
