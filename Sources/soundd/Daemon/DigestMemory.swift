import SoundTrigger

/// Digests of values' contents, each calculated once per update.
struct DigestMemory {
  private var known: [ValueID: (update: Instant?, digest: SIMD8<UInt32>)] = [:]

  /// The digest of a value's content; `nil` if nothing is known of that.
  mutating func digest(of id: ValueID, in store: ValueStore, at now: Instant) -> SIMD8<UInt32>? {
    let update = store.lastUpdate(of: id)
    if let known = known[id], known.update == update { return known.digest }
    let digest = store.contentDigest(of: id)
    // There may be another update at this very time.
    known[id] = update == now ? nil : digest.map { (update, $0) }
    return digest
  }
}
