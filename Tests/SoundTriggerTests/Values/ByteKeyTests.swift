import Testing

@testable import SoundTrigger

struct ByteKeyTests {
  private let seed = ByteKey.Seed()

  private func key(_ bytes: [UInt8]) -> ByteKey { ByteKey(bytes.span, seed: seed) }

  @Test(arguments: 0...15) func `a short key holds the bytes themselves, little-endian, and their count on top`(
    count: Int
  ) {
    let bytes = (0..<count).map { UInt8(0xf0 | $0) }
    var low: UInt64 = 0
    var high = UInt64(count) << 56
    for (index, byte) in bytes.enumerated() {
      if index < 8 { low |= UInt64(byte) << (8 * index) } else { high |= UInt64(byte) << (8 * (index - 8)) }
    }
    let key = key(bytes)
    #expect(key.low == low)
    #expect(key.high == high)
    #expect(key.isExact)
  }

  @Test(arguments: 1...100) func `a change of any bit changes the key`(count: Int) {
    var generator = TestGenerator(state: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for index in 0..<count {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(key(changed) != key(bytes), "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func `runs of zeros of different lengths have different keys, and none is the key of no run`() {
    var seen: Set<[UInt64]> = []
    for count in 0...300 {
      let key = key([UInt8](repeating: 0, count: count))
      #expect(key != .none)
      seen.insert([key.low, key.high])
    }
    #expect(seen.count == 301)
  }

  @Test func `longer runs are represented by a hash that depends on the seed`() {
    let bytes = [UInt8](repeating: 7, count: 16)
    let other = ByteKey(bytes.span, seed: ByteKey.Seed())
    #expect(!key(bytes).isExact)
    #expect(key(bytes) == key(bytes))
    #expect(other != key(bytes))
  }

  @Test func `table positions of numbered names spread as random ones do`() {
    // 4096 keys into 4096 random places leave 1/e of them empty, 1507, with a deviation of about 20. Fewer are as good.
    for style in ["n%", "a-longer-name.%", "%.suffix"] {
      let names = (0..<4096).map { Array(style.replacing("%", with: "\($0)").utf8) }
      // Whatever the seed: it is another one in every store.
      for _ in 0..<20 {
        let seed = ByteKey.Seed()
        let places = Set(names.map { ByteKey($0.span, seed: seed).hash(seed) & 4095 })
        #expect(4096 - places.count <= 1660, "\(style)")
      }
    }
  }

  private func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.holdsSameBytes(as: right.span) }

  @Test func `bytes are compared to the last`() {
    let bytes = [UInt8](0..<100)
    var other = bytes
    #expect(areSame(bytes, other))
    other[99] = 0
    #expect(!areSame(bytes, other))
    #expect(!areSame(bytes, Array(bytes[..<99])))
    #expect(areSame([], []))
  }
}
