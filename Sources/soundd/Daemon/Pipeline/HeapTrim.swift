/// Decides when freed memory is given back to the system (malloc_trim).
///
/// The heap keeps what is freed between other allocations. To give it back takes about 0.1 ms for a MiB, in which the event loop
/// stands still. So it happens after half of the contents are gone, and never for less than `least` bytes.
struct HeapTrim {
  static let least = 16 << 20

  /// The most that the contents have taken since the heap was last trimmed.
  private var peak = 0

  /// Receives how many bytes the contents take now; returns whether it is time.
  mutating func isDue(_ bytes: Int) -> Bool {
    peak = max(peak, bytes)
    guard peak - bytes >= max(Self.least, peak / 2) else { return false }
    peak = bytes
    return true
  }
}
