import CMixer

extension Mixer {
  /// Writes the mixed block in the device's format and layout.
  @_noLocks mutating func store(
    into out: UnsafeMutableRawPointer, frames: Int, format: SampleFormat, channels: Int
  ) {
    if channels == 1 { cmixer_fold(block, frames) }
    if _fastPath(channels == 2 && !format.isPacked()) {
      convert(into: out, samples: 2 &* frames, format: format)
      return
    }
    convert(into: scratch, samples: 2 &* frames, format: format)
    if format.isPacked() {
      // The block was read already: its memory serves for the packed bytes.
      let packed = UnsafeMutableRawPointer(block)
      cmixer_pack_int24(
        packed.assumingMemoryBound(to: UInt8.self), scratch.assumingMemoryBound(to: Int32.self), 2 &* frames)
      cmixer_spread(out, channels, packed, frames, 3)
    } else {
      cmixer_spread(out, channels, scratch, frames, format.width())
    }
  }

  // Mutating although it changes nothing: otherwise the whole mixer is copied for the call.
  @_noLocks private mutating func convert(into out: UnsafeMutableRawPointer, samples: Int, format: SampleFormat) {
    switch format {
    case .float32: cmixer_copy(out, block, 4 &* samples)
    case .int32: cmixer_store_int32(kernel, out.assumingMemoryBound(to: Int32.self), block, samples)
    case .int24, .int24Packed: cmixer_store_int24(kernel, out.assumingMemoryBound(to: Int32.self), block, samples)
    case .int16: cmixer_store_int16(kernel, out.assumingMemoryBound(to: Int16.self), block, samples, noise)
    }
  }
}
