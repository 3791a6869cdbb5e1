// RenderPath LEVEL VOICES BLOCKS: renders blocks of 64 frames into a 32-bit device. To be run under callgrind.
import CMixer
import Glibc
import SoundTrigger

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count == 3 else {
  print("usage: RenderPath LEVEL VOICES BLOCKS")
  exit(64)
}
let (level, voices, blocks) = (numbers[0], numbers[1], numbers[2])
let frames = 64

/// Different sounds of about half a second each, so that no voice profits from another's cache lines.
func sound(_ index: Int) throws -> Clip {
  var state = UInt32(truncatingIfNeeded: 0x9E37_79B9 &* (index + 1)) | 1
  let samples = (0..<2 * (24_000 + index * 37 % 997)).map { _ in
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return Float(Int32(bitPattern: state)) / 0x1p31 * 0.5
  }
  return try Clip(samples, rate: 48_000)
}

let control = MixerControl(voiceLimit: 256, rate: 48_000)
var mixer = control.makeMixer(level: level)
let out = UnsafeMutableRawPointer.allocate(byteCount: frames * 2 * 4, alignment: 64)
for index in 0..<voices {
  let gain = (0.25 + 0.75 * Float(index * 7 % 16) / 16) / Float(voices)
  _ = control.start(try sound(index), gain: gain, loops: true, offset: index % frames)
}
for _ in 0..<blocks + 2 { mixer.render(into: out, frames: frames, format: .int32, channels: 2) }
