/// SHA-256 (FIPS 180-4), fed in pieces of any size.
///
/// Allocates nothing.
///
/// A copy is independent of the original.
package struct SHA256: Sendable {
  private var state: SIMD8<UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The words of the block that is not complete yet.
  private var block = InlineArray<16, UInt32>(repeating: 0)
  /// Bytes fed so far.
  private var length: UInt64 = 0

  package init() {}

  /// The digest of bytes in 64 hexadecimal digits.
  package static func text(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(bytes.span)
    return Hexadecimal.text(hash.finish())
  }

  /// Feeds the next bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count && length & 63 != 0 {
      append(bytes[index])
      index += 1
    }
    while bytes.count - index >= 64 {
      for word in 0..<16 {
        let start = index + 4 * word
        block[word] =
          UInt32(bytes[start]) << 24 | UInt32(bytes[start + 1]) << 16 | UInt32(bytes[start + 2]) << 8
          | UInt32(bytes[start + 3])
      }
      compress()
      length &+= 64
      index += 64
    }
    while index < bytes.count {
      append(bytes[index])
      index += 1
    }
  }

  /// The digest of everything fed, as eight big-endian words.
  ///
  /// Feeding more afterwards gives no meaningful digest.
  package mutating func finish() -> SIMD8<UInt32> {
    let bits = length &* 8
    append(0x80)
    while length & 63 != 56 { append(0) }
    for shift in stride(from: UInt64(56), through: 0, by: -8) { append(UInt8(truncatingIfNeeded: bits >> shift)) }
    return state
  }

  private mutating func append(_ byte: UInt8) {
    let offset = Int(length & 63)
    // Shifted in from the right, four bytes fill a word and push the block before out of it.
    block[offset >> 2] = block[offset >> 2] << 8 | UInt32(byte)
    length &+= 1
    if offset == 63 { compress() }
  }

  private mutating func compress() {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    // The schedule in a ring of 16 words: word t replaces word t - 16.
    var schedule = block
    for round in 0..<64 {
      let slot = round & 15
      if round >= 16 {
        let early = schedule[(round + 1) & 15]
        let late = schedule[(round + 14) & 15]
        let sigma0 = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ early >> 3
        let sigma1 = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ late >> 10
        schedule[slot] = schedule[slot] &+ sigma0 &+ schedule[(round + 9) & 15] &+ sigma1
      }
      let sum1 = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ sum1 &+ choice &+ Self.constants[round] &+ schedule[slot]
      let sum0 = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
    }
    state = state &+ SIMD8(a, b, c, d, e, f, g, h)
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

  /// The fractional parts of the cube roots of the first 64 primes.
  private static let constants: InlineArray<64, UInt32> = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
