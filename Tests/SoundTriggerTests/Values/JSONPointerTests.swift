import Testing

@testable import SoundTrigger

struct JSONPointerTests {
  /// What the pointer leads to, as it is written; `nil`: nothing.
  private func find(_ pointer: String, _ document: String) throws -> String? {
    let bytes = Array(document.utf8)
    var scratch: [UInt8] = []
    guard let target = try JSONPointer(pointer).find(in: bytes.span, scratch: &scratch) else { return nil }
    return String(decoding: bytes[target.text], as: UTF8.self)
  }

  /// The document and the pointers of RFC 6901, section 5.
  private static let example = #"""
    { "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8 }
    """#

  @Test(
    arguments: [
      ("/foo", #"["bar", "baz"]"#), ("/foo/0", "bar"), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"),
      ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
      ("", Self.example),
    ])
  func `the examples of RFC 6901 lead where it says`(pointer: String, value: String) throws {
    #expect(try find(pointer, Self.example) == value)
  }

  @Test(
    arguments: [
      "/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/1.0", "/foo/", "/foo/1e0", "/foo/9999999999",
      "/foo/0/x", "/ /x", "/FOO", "/foo/0 ", "/a/b", "//",
    ])
  func `a pointer that leads nowhere finds nothing`(pointer: String) throws {
    #expect(try find(pointer, Self.example) == nil)
  }

  @Test(
    arguments: [
      ("/a/b/c", #"{"b":1,"a":{"c":2,"b":{"c":"x"}},"c":3}"#, "x"), ("/1/0/k", #"[[{"k":1}],[{"k":[2]}],[]]"#, "[2]"),
      ("/~01", #"{"~1":1,"/":2}"#, "1"), ("/é", #"{"\u00e9":true}"#, "true"),
      ("/\u{1F600}", #"{"\ud83d\ude00":null}"#, "null"),
      ("/a", #" {"a" : -1.50E+3 } "#, "-1.50E+3"), ("/a", #"{"a":"q\"\n"}"#, #"q\"\n"#), ("", #" "s" "#, "s"),
      ("/a/a", #"{"a":{"a":1},"b":{"a":2,"a":3}}"#, "1"),
    ])
  func `a value is found wherever it lies, as it is written`(pointer: String, document: String, value: String) throws {
    #expect(try find(pointer, document) == value)
  }

  @Test(
    arguments: [
      ("/a", #"{"a":1,"b":2,"a":3}"#, "3"), ("/a", #"{"a":1,"\u0061":"x"}"#, "x"),
      ("/a", #"{"\u0061":1,"a":2,"a":2}"#, "2"),
      ("/a/b", #"{"a":{"b":1,"b":2},"c":2}"#, "2"), ("/a/b", #"{"a":{"b":1},"a":{"b":2,"b":3}}"#, "3"),
      ("/0/a", #"[{"a":1,"a":2},{"a":3}]"#, "2"),
      // The last one need not lead any further.
      ("/a/b", #"{"a":{"b":1},"c":2,"a":3}"#, nil), ("/a/b", #"{"a":{"b":1},"a":{"c":2}}"#, nil),
    ] as [(String, String, String?)])
  func `of a repeated key on the path the last one counts`(pointer: String, document: String, value: String?) throws {
    #expect(try find(pointer, document) == value)
  }

  @Test(
    arguments: [
      ("/a", "", "byte 0: expected a value, found the end"), ("/a", "up", "byte 0: expected a value, found 'u'"),
      // Behind what was found, too.
      ("/a", #"{"a":1"#, "byte 6: expected ',' or '}', found the end"),
      ("/a", #"{"a":1} x"#, "byte 8: expected the end, found 'x'"),
      ("/a", #"{"b":[1,],"a":1}"#, "byte 8: expected a value, found ']'"),
    ])
  func `a document that is none is refused to its last byte`(pointer: String, document: String, message: String) {
    let error = #expect(throws: JSONError.self) { try find(pointer, document) }
    #expect(error?.description == message)
  }

  @Test func `depth is bounded, along the way and beside it`() throws {
    let deep = String(repeating: #"{"a":"#, count: 128) + "1" + String(repeating: "}", count: 128)
    #expect(try find(String(repeating: "/a", count: 128), deep) == "1")
    #expect(try find("/a", deep)?.utf8.count == deep.utf8.count - 6)
    let deeper = #"{"a":"# + deep + "}"
    for pointer in ["", "/a", "/b", String(repeating: "/a", count: 129), String(repeating: "/a", count: 1000)] {
      let error = #expect(throws: JSONError.self) { try find(pointer, deeper) }
      #expect(error?.problem == .tooDeep)
    }
    let arrays = String(repeating: "[", count: 60_000)
    #expect(throws: JSONError.self) { try find(String(repeating: "/0", count: 60_000), arrays) }
  }

  @Test(
    arguments: [
      ("a", 0, "expected '/' at the beginning of a JSON pointer"),
      ("#/a", 0, "expected '/' at the beginning of a JSON pointer"),
      ("/a~", 2, "expected '0' (for ~) or '1' (for /) after '~'"),
      ("/~2", 1, "expected '0' (for ~) or '1' (for /) after '~'"),
      ("/~/a", 1, "expected '0' (for ~) or '1' (for /) after '~'"),
      ("/~~0", 1, "expected '0' (for ~) or '1' (for /) after '~'"),
    ])
  func `a text that is no pointer is told where it goes wrong`(text: String, offset: Int, message: String) {
    #expect(throws: JSONPointer.Problem(message: message, offset: offset)) { try JSONPointer(text) }
  }
}
