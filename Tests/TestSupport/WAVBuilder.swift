/// Canonical PCM WAV files, byte by byte after the format's description.
package enum WAVBuilder {
  /// 16-bit PCM of any number of channels.
  package static func int16(_ samples: [Int16], channels: Int, rate: Int) -> [UInt8] {
    file(format: 1, bits: 16, channels: channels, rate: rate, data: bytes(samples))
  }

  /// 32-bit float.
  package static func float32(_ samples: [Float], channels: Int, rate: Int) -> [UInt8] {
    file(format: 3, bits: 32, channels: channels, rate: rate, data: bytes(samples))
  }

  private static func file(format: UInt32, bits: Int, channels: Int, rate: Int, data: [UInt8]) -> [UInt8] {
    let frame = channels * bits / 8
    var result = Array("RIFF".utf8) + bytes(UInt32(36 + data.count), 4) + Array("WAVEfmt ".utf8)
    result += bytes(16, 4) + bytes(format, 2) + bytes(UInt32(channels), 2) + bytes(UInt32(rate), 4)
    result += bytes(UInt32(rate * frame), 4) + bytes(UInt32(frame), 2) + bytes(UInt32(bits), 2)
    return result + Array("data".utf8) + bytes(UInt32(data.count), 4) + data
  }

  /// The samples as they lie in memory: tests are built without optimization, so a loop over minutes of them takes seconds.
  private static func bytes(_ samples: [some BitwiseCopyable]) -> [UInt8] {
    precondition(1.littleEndian == 1, "WAV is little-endian")
    return samples.withUnsafeBytes { Array($0) }
  }

  private static func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
}
