import Testing

@testable import SoundTrigger

/// Names of other programs as names of values. The escapes are those of RFC 3986 (3.1, 2.1), which Python's
/// `urllib.parse.quote(name, safe="/:")` writes too.
struct NameEscapeTests {
  /// The escaped name beneath `mqtt/`.
  private func escape(_ name: [UInt8]) throws -> String {
    var bytes: [UInt8] = []
    try NameEscape.append(name.span, beneath: "mqtt/", to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("home/Back Door", "mqtt/home/Back%20Door"), ("ü", "mqtt/%C3%BC"), ("home/Küche", "mqtt/home/K%C3%BCche"),
    ("100%", "mqtt/100%25"), ("a%20b", "mqtt/a%2520b"), ("$SYS/broker", "mqtt/%24SYS/broker"), ("-x", "mqtt/-x"),
    ("/", "mqtt//"), ("/a", "mqtt//a"), ("a=b", "mqtt/a%3Db"), ("a: b", "mqtt/a:%20b"),
    ("日本", "mqtt/%E6%97%A5%E6%9C%AC"),
    ("a\u{2028}b", "mqtt/a%E2%80%A8b"), ("~'\"*[]", "mqtt/%7E%27%22%2A%5B%5D"),
  ])
  func `each byte that no name may have becomes a percent sign and two capital digits`(
    name: String, escaped: String
  ) throws {
    #expect(try escape(Array(name.utf8)) == escaped)
    #expect(ValueName(escaped) != nil)
  }

  @Test func `bytes that are not UTF-8 are escaped, too`() throws {
    #expect(try escape([0x61, 0xff, 0x9b, 0xc3]) == "mqtt/a%FF%9B%C3")
    #expect(NameEscape.original("mqtt/a%FF%9B%C3") == "mqtt/a%FF%9B%C3")
  }

  @Test(arguments: [
    ("", NameEscape.Refusal.empty), ("a\u{0}b", .controlCharacter), ("\u{1b}[2J", .controlCharacter),
    ("a\tb", .controlCharacter), ("a\u{7f}", .controlCharacter), ("a\u{9b}1m", .controlCharacter),
    ("\n", .controlCharacter), (" a", .surroundingWhiteSpace), ("a ", .surroundingWhiteSpace),
    (" ", .surroundingWhiteSpace), ("\u{a0}a", .surroundingWhiteSpace), ("a\u{3000}", .surroundingWhiteSpace),
    (String(repeating: "n", count: 251), .tooLong), (String(repeating: "ü", count: 42), .tooLong),
    (String(repeating: "ü", count: 30_000), .tooLong),
  ])
  func `what nobody could read or see is refused`(name: String, refusal: NameEscape.Refusal) {
    #expect(throws: refusal) { try escape(Array(name.utf8)) }
  }

  @Test func `a name has at most 255 bytes with its prefix and its escapes`() throws {
    #expect(try escape(Array(repeating: UInt8(ascii: "n"), count: 250)).utf8.count == 255)
    #expect(try escape(Array(String(repeating: "ü", count: 41).utf8)).utf8.count == 251)
  }

  @Test(arguments: ["home/Back Door", "Küche", "100%", "a%20b", "%", "%41", "日本", "a=b: c", "😀", "e\u{301}"])
  func `people see the name as it was`(name: String) throws {
    #expect(NameEscape.original(try escape(Array(name.utf8))) == "mqtt/" + name)
  }

  @Test(arguments: [
    "a%1B%5D", "a%00", "a%C2%9B", "a%E2%80%AEb", "a%0A", "%7F", "a%E2%80%A8", "a%41", "a%", "a%2", "a%zz", "a%2f",
    "a%C3",
  ])
  func `what would act on a terminal, or is no escape of ours, stays as it is`(name: String) {
    let shown = NameEscape.original(name)
    #expect(shown == name.replacing("%5D", with: "]"))
    #expect(shown.unicodeScalars.allSatisfy { Excerpt.isHarmless($0) })
  }

  @Test func `a member shows the name of its value`() {
    #expect(NameEscape.original("t[mqtt/home/Back%20Door]") == "t[mqtt/home/Back Door]")
  }

  @Test func `a name that people type as they see it is found`() {
    #expect(NameEscape.meant(by: "mqtt/home/Back Door") == "mqtt/home/Back%20Door")
    #expect(NameEscape.meant(by: "mqtt/door") == nil)
    #expect(NameEscape.meant(by: "-x") == nil)
    #expect(NameEscape.meant(by: "") == nil)
  }
}
