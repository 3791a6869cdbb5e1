import TestSupport
import Testing

@testable import SoundTrigger

/// Sounds that are stored in blocks of many frames.
struct BlockPackingTests {
  private let folder = TemporaryFolder()

  /// IMA ADPCM of one channel: blocks of 256 bytes, which have 505 frames. Each nibble is 0, so that all samples are about 1000.
  private func ima(dataBytes: Int, fact: UInt32? = nil, junk: [UInt8] = []) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let block: [UInt8] = [0xe8, 0x03, 0, 0] + [UInt8](repeating: 0, count: 252)
    let data = Array((0...dataBytes / 256).flatMap { _ in block }.prefix(dataBytes))
    var chunks =
      Array("fmt ".utf8) + number(20, 4) + number(0x11, 2) + number(1, 2) + number(48_000, 4) + number(24_000, 4)
    chunks += number(256, 2) + number(4, 2) + number(2, 2) + number(505, 2)
    if let fact { chunks += Array("fact".utf8) + number(4, 4) + number(Int(fact), 4) }
    chunks += Array("data".utf8) + number(data.count, 4) + data + [UInt8](repeating: 0, count: data.count % 2) + junk
    return Array("RIFF".utf8) + number(4 + chunks.count, 4) + Array("WAVE".utf8) + chunks
  }

  private func samples(_ bytes: [UInt8]) throws -> [Float] {
    try ClipLoader(rate: 48_000).load(path: folder.write("a.wav", bytes)).samples
  }

  // What follows the sound is loud if it is decoded.
  private let junk = Array("LIST".utf8) + [200, 0, 0, 0] + [UInt8](repeating: 0x7f, count: 200)

  @Test(arguments: [256, 512, 513, 600, 767]) func `only whole blocks are played`(dataBytes: Int) throws {
    let samples = try samples(ima(dataBytes: dataBytes, junk: junk))
    #expect(samples.count == 2 * 505 * (dataBytes / 256))
    let loudest = samples.reduce(0) { max($0, abs($1)) }
    #expect(loudest < 0.1, "\(loudest)")
  }

  @Test func `the chunk fact says how many frames of the last block count`() throws {
    // Four bytes of the last block are its head and first frame, and four further bytes eight frames.
    #expect(try samples(ima(dataBytes: 256 + 104, fact: 505 + 201, junk: junk)).count == 2 * 706)
    #expect(try samples(ima(dataBytes: 512, fact: 600)).count == 2 * 600)
    // More than there are, or far fewer: it is not believed.
    #expect(try samples(ima(dataBytes: 256 + 104, fact: 505 + 202, junk: junk)).count == 2 * 505)
    #expect(try samples(ima(dataBytes: 512, fact: 1)).count == 2 * 1010)
  }

  @Test func `a file that is cut off within a block ends before that block`() throws {
    let cut = ima(dataBytes: 768, fact: 1515).dropLast(100)
    let clip = try ClipLoader(rate: 48_000).load(path: folder.write("a.wav", cut))
    #expect(clip.frameCount == 1010)
    #expect(clip.truncation?.contains("it was cut off") == true)
  }

  @Test(arguments: [
    // Microsoft's blocks: 7 bytes a channel with two frames, then two frames a byte.
    (0x02, 256, 1, 4, 0, 500), (0x02, 256, 2, 4, 0, 244), (0x11, 512, 2, 4, 0, 505), (0x31, 65, 1, 0, 320, 320),
    (0x40, 1, 1, 4, 0, 8), (0x38, 1, 1, 4, 0, 160),
  ]) func `a block has as many frames as its format says`(
    tag: Int, align: Int, channels: Int, bits: Int, perBlock: Int, frames: Int
  ) {
    var format = [UInt8](repeating: 0, count: 20)
    for (offset, value) in [(0, tag), (2, channels), (12, align), (14, bits), (18, perBlock)] {
      (format[offset], format[offset + 1]) = (UInt8(value & 255), UInt8(value >> 8))
    }
    #expect(BlockPacking(wave: HeaderBytes(format), isLittle: true)?.frames == frames)
  }

  @Test func `a format whose frames are stored alone has no blocks`() {
    #expect(BlockPacking(wave: HeaderBytes([1, 0, 2, 0] + [UInt8](repeating: 4, count: 16)), isLittle: true) == nil)
    #expect(BlockPacking(wave: HeaderBytes([0x11, 0]), isLittle: true) == nil)
    // No block of no bytes.
    let format: [UInt8] = [0x11, 0, 1, 0] + [UInt8](repeating: 0, count: 16)
    #expect(BlockPacking(wave: HeaderBytes(format), isLittle: true) == nil)
  }
}
