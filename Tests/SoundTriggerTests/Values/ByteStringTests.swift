import Testing

@testable import SoundTrigger

struct ByteStringTests {
  private func holds(_ string: ByteString, _ bytes: [UInt8]) -> Bool { string.holdsSameBytes(as: bytes.span) }

  /// Runs of every length around the one from which on they take memory, no byte of which is zero, and all zeros.
  static let runs: [[UInt8]] = (0...40).flatMap { count in
    [(0..<count).map { UInt8(truncatingIfNeeded: 255 - $0) }, Array(repeating: 0, count: count)]
  }

  @Test(arguments: runs) func `bytes come back as they went in`(bytes: [UInt8]) {
    for string in [ByteString(bytes), ByteString(bytes.span)] {
      #expect(string.array == bytes)
      #expect(string.count == bytes.count)
      #expect(string.withSpan { [UInt8]($0) } == bytes)
      #expect(holds(string, bytes))
    }
  }

  @Test func `equal runs are equal, and no others`() {
    let runs = Set(Self.runs)
    #expect(Set(runs.map { ByteString($0) }).count == runs.count)
    for bytes in runs {
      let same = ByteString(bytes.span)
      #expect(ByteString(bytes) == same)
      for index in bytes.indices {
        var other = bytes
        other[index] ^= 0x80
        #expect(ByteString(other) != ByteString(bytes))
        #expect(!holds(ByteString(bytes), other))
      }
    }
  }

  @Test func `one run after the other can be put in its place`() {
    var string = ByteString()
    #expect(string.array.isEmpty)
    for bytes in Self.runs + Self.runs.reversed() {
      string.set(to: bytes.span)
      #expect(string == ByteString(bytes))
      #expect(string.array == bytes)
    }
  }

  @Test func `a copy stays as it was`() {
    let long = [UInt8](repeating: 1, count: 100)
    var string = ByteString(long)
    let copy = string
    string.set(to: [UInt8](repeating: 2, count: 100).span)
    #expect(copy.array == long)
    #expect(string.array == [UInt8](repeating: 2, count: 100))
  }
}
