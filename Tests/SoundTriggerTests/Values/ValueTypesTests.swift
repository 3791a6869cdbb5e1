import SoundTrigger
import Testing

struct ValueTypesTests {
  @Test(arguments: ["a", "Z", "0", "_", "_a", "a.b/c:d-e_f", "0-", String(repeating: "n", count: 255)])
  func `names are accepted`(text: String) { #expect(ValueName(text)?.description == text) }

  @Test(arguments: [
    "", ".", "-a", "/a", ":a", "a b", "a=b", "é", "aé", "a\u{0}", "a\n", "a,b", "a[", "a{", "a@", "a`", "a~", " a",
    String(repeating: "n", count: 256),
  ]) func `anything else is no name`(text: String) { #expect(ValueName(text) == nil) }

  @Test func `a value takes little room, so that changes are cheap to hand on`() {
    #expect(MemoryLayout<Value?>.size <= 16)
    #expect(MemoryLayout<Change>.size <= 48)
  }

  @Test func `a fingerprint is described by its length and 64 digits`() {
    let fingerprint = Fingerprint(length: 70_000, digest: [0x1, 0xff, 0x8000_0000, 0, 0xffff_ffff, 0, 0, 0xabcdef])
    #expect(
      fingerprint.description
        == "70000 bytes, SHA-256 00000001000000ff8000000000000000ffffffff000000000000000000abcdef")
  }

  @Test func `time counts in nanoseconds`() {
    let start = Instant(nanoseconds: 5)
    #expect(start.advanced(by: .milliseconds(2)).nanoseconds == 2_000_005)
    #expect(start.duration(to: Instant(nanoseconds: 3)) == .nanoseconds(-2))
    #expect(Duration.seconds(1 << 40).nanoseconds == .max)
    #expect(Duration.seconds(-(1 << 40)).nanoseconds == .min)
  }
}
