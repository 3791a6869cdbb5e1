import TestSupport
import Testing

@testable import soundd

/// Input made to break a reader.
struct TOMLHostileTests {
  private func refusal(of text: String) -> String? {
    #expect(throws: TOMLProblem.self) { try TOMLReader.read(Array(text.utf8)) }.map { "\($0)" }
  }

  private let tooDeep = "expected at most 128 levels of nesting, found more"

  @Test func `200,000 nested arrays are refused`() {
    let text = "a = " + String(repeating: "[", count: 200_000)
    #expect(refusal(of: text) == "1:133: \(tooDeep)")
  }

  @Test func `200,000 nested inline tables are refused`() {
    let text = String(repeating: "a={", count: 200_000)
    #expect(refusal(of: text) == "1:387: \(tooDeep)")
  }

  @Test func `128 nested arrays are read`() throws {
    let text = "a = " + String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(try TOMLReader.read(Array(text.utf8)).entries.count == 1)
  }

  @Test(arguments: ["", "[", "[["])
  func `a dotted key of 200,000 parts is refused`(opening: String) {
    let text = opening + "a" + String(repeating: ".a", count: 199_999)
    #expect(refusal(of: text) == "1:\(257 + opening.count): expected at most 128 parts in a key, found more")
  }

  @Test func `a dotted key of 128 parts is read`() throws {
    let text = "a" + String(repeating: ".a", count: 127) + " = 1"
    #expect(try TOMLReader.read(Array(text.utf8)).entries.count == 1)
  }

  @Test func `dotted keys and brackets are counted together`() {
    let key = "a" + String(repeating: ".a", count: 99)
    #expect(refusal(of: "\(key) = { \(key) = 1 }") == "1:261: \(tooDeep)")
    #expect(refusal(of: "[\(key)]\n\(key) = 1") == "2:57: \(tooDeep)")
  }

  @Test func `NUL ends nothing`() throws {
    #expect(refusal(of: "a = 1\0\nb = 2") == "1:6: expected the end of the line, found '\\u{0}'")
    #expect(refusal(of: "\0") == "1:1: expected a key, found '\\u{0}'")
    #expect(try TOMLReader.read(Array("a = \"\\u0000b\"".utf8)).entries.count == 1)
  }

  @Test(.slow) func `a number of a million digits is refused or read, not choked on`() {
    let digits = String(repeating: "9", count: 1_000_000)
    #expect(refusal(of: "a = \(digits)")?.hasPrefix("1:5: expected a number that fits 64 bits, found '999") == true)
    #expect(refusal(of: "a = 1e\(digits)")?.hasPrefix("1:5: expected a number that fits 64 bits") == true)
    #expect(throws: Never.self) { try TOMLReader.read(Array("a = 0.\(digits)".utf8)) }
  }

  /// A text of about 100 kB, a tenth if the tests are quick. It is read in a moment unless something in it is counted,
  /// copied or searched from the beginning again and again; then it takes minutes.
  struct LongText: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var keys: Int

    private static let scale = isQuick ? 100 : 1000
    static let all = [
      LongText("one long line", "a = [" + String(repeating: "1,", count: 50 * scale) + "]", keys: 1),
      LongText("many keys", (0..<30 * scale).map { "key\($0) = \($0)\n" }.joined(), keys: 30 * scale),
      LongText("many tables", (0..<30 * scale).map { "[table.t\($0)]\n" }.joined(), keys: 1),
      LongText("a long array of tables", String(repeating: "[[a]]\nb=1\n", count: 10 * scale), keys: 1),
      LongText("a long inline table", "a = {" + (0..<30 * scale).map { "k\($0)=1," }.joined() + "k=1}", keys: 1),
      LongText("many inline tables", "a = [" + String(repeating: "{b={c=1}},", count: 10 * scale) + "]", keys: 1),
      LongText("a long string", "a = \"" + String(repeating: "\\n", count: 50 * scale) + "\"", keys: 1),
      LongText("quotes in a long string", "a = '''" + String(repeating: "''x", count: 30 * scale) + "'''", keys: 1),
      LongText("blank lines", String(repeating: "\r\n", count: 50 * scale), keys: 0),
      LongText("a long comment", "#" + String(repeating: " #", count: 50 * scale), keys: 0),
      LongText("a long key", String(repeating: "k", count: 100 * scale) + " = 1", keys: 1),
    ]

    init(_ name: String, _ text: String, keys: Int) {
      testDescription = name
      self.text = text
      self.keys = keys
    }
  }

  @Test(.timeLimit(.minutes(timeFactor)), arguments: LongText.all)
  func `a long text is read in a moment`(text: LongText) throws {
    #expect(try TOMLReader.read(Array(text.text.utf8)).entries.count == text.keys)
  }

  @Test func `damaged files are read or refused`() throws {
    var mutations = RandomMutations(seed: 1)
    var readable = 0
    let paths = try Fixtures.paths(in: "toml-test/valid", suffix: ".toml")
    let files = try paths.map { try Fixtures.bytes("toml-test/valid/" + $0) }
    for file in files {
      for _ in 0..<25 where (try? TOMLReader.read(mutations.mutate(file, edits: 6))) != nil { readable += 1 }
    }
    // Both ends were reached: the damage is neither total nor invisible.
    #expect(readable > 200 && readable < 25 * files.count - 200)
  }
}
