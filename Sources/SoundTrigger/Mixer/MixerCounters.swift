import Synchronization

/// What the audio thread counts; anybody may read it. Relaxed throughout: each number stands for itself.
struct MixerCounters: ~Copyable {
  /// Frames rendered since the start.
  let rendered = Atomic<UInt64>(0)
  /// Voices sounding after the last block.
  let voices = Atomic<Int>(0)
  /// Voices that had to give way to others.
  let stolen = Atomic<Int>(0)
  /// Voices that found no place at all.
  let refused = Atomic<Int>(0)
}
