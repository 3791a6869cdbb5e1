import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

struct LockedMemoryTests {
  /// The bytes of the mapping that an address lies in, from proc(5)'s `smaps`: its size and how much of it is locked.
  private func mapping(of address: UnsafeRawPointer) throws -> (resident: Int, locked: Int) {
    var isInside = false
    var resident = 0
    for line in try textOfFile("/proc/self/smaps").split(separator: "\n") {
      let words = line.split(separator: " ")
      let bounds = words[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
      if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(UInt(bitPattern: address)) }
      guard isInside, words.count >= 2, let number = Int(words[1]) else { continue }
      if words[0] == "Rss:" { resident = number << 10 }
      if words[0] == "Locked:" { return (resident, number << 10) }
    }
    throw CocoaError(.fileReadNoSuchFile)
  }

  @Test(.disabled(if: isSanitized, "a sanitizer lets no memory be locked"))
  func `memory comes zeroed, on cache lines of its own, and is there before it is used`() throws {
    let memory = LockedMemory()
    let sizes = [1, 64, 100, 4096, 5000, 1 << 20]
    let blocks = sizes.map { memory.allocate(byteCount: $0) }
    for (start, size) in zip(blocks, sizes) {
      #expect(UInt(bitPattern: start) % 64 == 0)
      let isZero = UnsafeRawBufferPointer(start: start, count: size).allSatisfy { $0 == 0 }
      #expect(isZero)
      for (other, otherSize) in zip(blocks, sizes) where other != start {
        #expect(start + size <= other || other + otherSize <= start)
      }
    }
    #expect(try mapping(of: blocks[5]).resident >= 1 << 20)
  }

  @Test(.disabled(if: isSanitized, "a sanitizer lets no memory be locked"))
  func `a clip is locked as long as it lives, if there is room for it`() throws {
    let clip = Clip(stereo: noise(frames: 100_000, seed: 1), rate: 48_000)
    let usage = LockedMemoryUsage.current
    // The samples and the padding.
    #expect(usage.wanted >= 8 * (100_000 + 2 * Clip.padding))
    #expect(usage.locked <= usage.wanted)
    let found = try mapping(of: clip.frames)
    #expect(found.resident >= 8 * 100_000)
    if usage.error == 0 { #expect(found.locked >= 8 * 100_000) }
  }

  @Test func `memory that there is not is an error for a clip, and ordinary memory for what is small`() throws {
    let memory = LockedMemory()
    let problem = #expect(throws: OutOfMemory.self) { try memory.map(byteCount: 1 << 60) }
    #expect(problem?.code == ENOMEM)
    #expect(problem?.description.contains("Cannot allocate memory") == true)
    // The next one is taken as if nothing had happened.
    #expect(try memory.map(byteCount: 100).load(as: UInt64.self) == 0)
  }

  @Test func `clips do not begin at the same offset of a page`() {
    let clips = (0..<64).map { _ in Clip(stereo: noise(frames: 480, seed: 1), rate: 48_000) }
    let offsets = clips.map { UInt(bitPattern: $0.frames) % 4096 }
    // Other tests make clips meanwhile, which take offsets away.
    #expect(Set(offsets).count > 16)
    #expect(offsets.allSatisfy { $0 % 64 == 0 })
  }
}
