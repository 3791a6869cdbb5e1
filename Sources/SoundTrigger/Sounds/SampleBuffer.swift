import Glibc

/// Samples that are decoded block by block. Their number is unknown until the end.
///
/// Unlike an array it throws if there is no memory: a sound may be larger than what is left.
struct SampleBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<Float>?
  private var capacity = 0
  private var count = 0

  deinit { free(start) }

  /// Appends samples.
  mutating func append(_ samples: [Float]) throws(OutOfMemory) {
    if count + samples.count > capacity { try grow(to: max(count + samples.count, 2 * capacity)) }
    guard let start else { return }
    samples.withUnsafeBufferPointer { samples in
      if let first = samples.baseAddress { (start + count).update(from: first, count: samples.count) }
    }
    count += samples.count
  }

  /// All of them.
  var samples: UnsafeBufferPointer<Float> { UnsafeBufferPointer(start: start, count: count) }

  private mutating func grow(to capacity: Int) throws(OutOfMemory) {
    let bytes = capacity * MemoryLayout<Float>.stride
    guard let memory = realloc(start, bytes) else { throw OutOfMemory(bytes: bytes, code: errno) }
    start = memory.bindMemory(to: Float.self, capacity: capacity)
    self.capacity = capacity
  }
}
