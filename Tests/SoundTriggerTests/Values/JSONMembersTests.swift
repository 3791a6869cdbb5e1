import Testing

@testable import SoundTrigger

struct JSONMembersTests {
  private struct Read: Equatable {
    var name: String
    var kind: JSONScanner.ValueClass
    var content: String

    init(_ name: String, _ kind: JSONScanner.ValueClass, _ content: String) {
      self.name = name
      self.kind = kind
      self.content = content
    }
  }

  private func read(_ line: String) -> (members: [Read], error: JSONError?) {
    let bytes = Array(line.utf8)
    var members = JSONMembers()
    var result: [Read] = []
    do throws(JSONError) {
      while let member = try members.next(in: bytes.span) {
        var name: [UInt8] = []
        member.name.unescape(from: bytes.span, appendingTo: &name)
        var content: [UInt8] = []
        member.appendContent(from: bytes.span, to: &content)
        result.append(
          Read(String(decoding: name, as: UTF8.self), member.kind, String(decoding: content, as: UTF8.self)))
      }
      return (result, nil)
    } catch { return (result, error) }
  }

  @Test func `strings are unescaped, everything else is taken as it is written`() {
    let line =
      #" {"s":"a\n\"\u00e9\ud83d\ude00\/","n":-1.50E+3,"t":true,"f":false,"o":{"x": [1, 2] },"a":[ ],"z":null,"e":""} "#
    let (members, error) = read(line)
    #expect(error == nil)
    #expect(
      members == [
        Read("s", .string, "a\n\"é\u{1F600}/"), Read("n", .number, "-1.50E+3"), Read("t", .boolean, "true"),
        Read("f", .boolean, "false"), Read("o", .object, #"{"x": [1, 2] }"#), Read("a", .array, "[ ]"),
        Read("z", .null, "null"), Read("e", .string, ""),
      ])
  }

  @Test func `names may be escaped and may come twice`() {
    #expect(
      read(#"{"\u0061":1,"a":"2"}"#).members == [Read("a", .number, "1"), Read("a", .string, "2")])
  }

  @Test func `an empty object has no members`() {
    let (members, error) = read("{ }")
    #expect(members.isEmpty)
    #expect(error == nil)
  }

  @Test(arguments: [
    ("", 0, "byte 0: expected '{', found the end"), ("[1]", 0, "byte 0: expected '{', found '['"),
    (#"{"a":1"#, 1, "byte 6: expected ',' or '}', found the end"),
    (#"{"a":1,"b":}"#, 1, "byte 11: expected a value, found '}'"),
    (#"{"a":1} x"#, 1, "byte 8: expected the end, found 'x'"),
    (#"{"a":"\ud800"}"#, 0, "byte 6: expected a pair of surrogates, found one alone"),
    (#"{"a":1 "b"}"#, 1, "byte 7: expected ',' or '}', found '\"'"),
  ]) func `an error comes where the line goes wrong`(line: String, count: Int, message: String) {
    let (members, error) = read(line)
    #expect(members.count == count)
    #expect(error?.description == message)
  }

  @Test func `nothing comes after an error`() {
    let bytes = Array(#"{"a":x,"b":1}"#.utf8)
    var members = JSONMembers()
    #expect(throws: JSONError.self) { try members.next(in: bytes.span) }
    #expect(throws: Never.self) {
      let next = try members.next(in: bytes.span)
      #expect(next == nil)
    }
  }

  @Test func `the object itself counts as a level`() {
    let inner = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    #expect(read(#"{"a":\#(inner)}"#).error == nil)
    #expect(read(#"{"a":[\#(inner)]}"#).error?.problem == .tooDeep)
  }
}
