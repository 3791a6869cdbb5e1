/// Canonical PCM WAV files, byte by byte after the format's description.
package enum WAVBuilder {
  /// 16-bit PCM of any number of channels.
  package static func int16(_ samples: [Int16], channels: Int, rate: Int) -> [UInt8] {
    let data = samples.flatMap { bytes(UInt32(UInt16(bitPattern: $0)), 2) }
    return file(format: 1, bits: 16, channels: channels, rate: rate, data: data)
  }

  /// 32-bit float.
  package static func float32(_ samples: [Float], channels: Int, rate: Int) -> [UInt8] {
    file(
      format: 3, bits: 32, channels: channels, rate: rate, data: samples.flatMap { bytes($0.bitPattern, 4) })
  }

  private static func file(format: UInt32, bits: Int, channels: Int, rate: Int, data: [UInt8]) -> [UInt8] {
    let frame = channels * bits / 8
    var result = Array("RIFF".utf8) + bytes(UInt32(36 + data.count), 4) + Array("WAVEfmt ".utf8)
    result += bytes(16, 4) + bytes(format, 2) + bytes(UInt32(channels), 2) + bytes(UInt32(rate), 4)
    result += bytes(UInt32(rate * frame), 4) + bytes(UInt32(frame), 2) + bytes(UInt32(bits), 2)
    return result + Array("data".utf8) + bytes(UInt32(data.count), 4) + data
  }

  private static func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
}
