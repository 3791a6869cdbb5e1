import Testing

@testable import SoundTrigger

struct JSONScannerTests {
  private func check(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
      try JSONScanner.validate(bytes.span)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e5", "1E5", "1e+5", "1e-5", "0e0", "0E+00",
    "123456789012345678901234567890", "1.0000000000000000000000001", "1e400", "\"\"", "\"a\"", "\"\u{7f}\"", "\"é\"",
    "\"\u{1F600}\"", "\"\u{ffff}\"", "\"\u{2028}\"", #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\uABCD\uabcd""#,
    #""\uD834\udd1e""#, #""\\u0000""#, "[]", "[ ]", "[1]", "[1,2]", "[ 1 , 2 ]", "[[],[[]]]", "[[[]],{}]", "{}", "{ }",
    #"{"":0}"#, #"{"a":1,"b":[true,false,null]}"#, #"{"a":1,"a":2}"#, #"{ "a" : { "b" : [ ] } , "c" : "" }"#,
    " \t\r\n1 \t\r\n", "[\n]", #"{"a":{"b":{}}}"#, #"[{"a":[]},{"b":[{}]}]"#,
  ]) func `documents of RFC 8259's grammar are accepted`(document: String) {
    #expect(check(Array(document.utf8)) == nil)
  }

  @Test(arguments: [
    ("", 0, "expected a value, found the end"),
    (" ", 1, "expected a value, found the end"),
    ("nul", 3, "expected 'null', found the end"),
    ("nulL", 3, "expected 'null', found 'L'"),
    ("True", 0, "expected a value, found 'T'"),
    ("truee", 4, "expected the end, found 'e'"),
    ("NaN", 0, "expected a value, found 'N'"),
    ("Infinity", 0, "expected a value, found 'I'"),
    ("-Infinity", 1, "expected a digit, found 'I'"),
    ("+1", 0, "expected a value, found '+'"),
    ("01", 1, "expected the end, found '1'"),
    ("-01", 2, "expected the end, found '1'"),
    ("-", 1, "expected a digit, found the end"),
    (".5", 0, "expected a value, found '.'"),
    ("1.", 2, "expected a digit, found the end"),
    ("1.e5", 2, "expected a digit, found 'e'"),
    ("1e", 2, "expected a digit, found the end"),
    ("1e+", 3, "expected a digit, found the end"),
    ("1e5.5", 3, "expected the end, found '.'"),
    ("0x10", 1, "expected the end, found 'x'"),
    ("1_000", 1, "expected the end, found '_'"),
    ("1 2", 2, "expected the end, found '2'"),
    ("\"", 1, "expected '\"', found the end"),
    ("\"a", 2, "expected '\"', found the end"),
    ("'a'", 0, "expected a value, found '''"),
    ("\"a\nb\"", 2, "expected a character or an escape, found the control character byte 0x0a"),
    ("\"\u{0}\"", 1, "expected a character or an escape, found the control character byte 0x00"),
    (#""\x""#, 2, "expected one of \"\\/bfnrtu, found 'x'"),
    (#""\"#, 2, "expected one of \"\\/bfnrtu, found the end"),
    (#""\u12""#, 5, "expected four hexadecimal digits, found '\"'"),
    (#""\u12G4""#, 5, "expected four hexadecimal digits, found 'G'"),
    (#""\uD834""#, 1, "expected a pair of surrogates, found one alone"),
    (#""a\uD834b""#, 2, "expected a pair of surrogates, found one alone"),
    (#""\uD834\n""#, 1, "expected a pair of surrogates, found one alone"),
    (#""\uD834\uD834""#, 1, "expected a pair of surrogates, found one alone"),
    (#""\uDD1E""#, 1, "expected a pair of surrogates, found one alone"),
    (#""\uDD1E\uD834""#, 1, "expected a pair of surrogates, found one alone"),
    ("[", 1, "expected a value, found the end"),
    ("[1", 2, "expected ',' or ']', found the end"),
    ("[1,", 3, "expected a value, found the end"),
    ("[1,]", 3, "expected a value, found ']'"),
    ("[,1]", 1, "expected a value, found ','"),
    ("[1 2]", 3, "expected ',' or ']', found '2'"),
    ("[1}", 2, "expected ',' or ']', found '}'"),
    ("]", 0, "expected a value, found ']'"),
    ("[]]", 2, "expected the end, found ']'"),
    ("{", 1, "expected a key in '\"' or '}', found the end"),
    ("{a:1}", 1, "expected a key in '\"' or '}', found 'a'"),
    ("{1:1}", 1, "expected a key in '\"' or '}', found '1'"),
    (#"{"a"}"#, 4, "expected ':', found '}'"),
    (#"{"a":}"#, 5, "expected a value, found '}'"),
    (#"{"a":1,}"#, 7, "expected a key in '\"', found '}'"),
    (#"{"a":1 "b":2}"#, 7, "expected ',' or '}', found '\"'"),
    (#"{"a":1]"#, 6, "expected ',' or '}', found ']'"),
    (#"{,"a":1}"#, 1, "expected a key in '\"' or '}', found ','"),
    ("[1]//", 3, "expected the end, found '/'"),
    ("\u{feff}1", 0, "expected a value, found byte 0xef"),
    ("\u{a0}1", 0, "expected a value, found byte 0xc2"),
    ("\u{b}1", 0, "expected a value, found byte 0x0b"),
    ("1\u{0}", 1, "expected the end, found byte 0x00"),
  ]) func `anything else is refused where it goes wrong`(document: String, offset: Int, message: String) throws {
    let error = try #require(check(Array(document.utf8)))
    #expect(error.offset == offset)
    #expect(error.description == "byte \(offset): \(message)")
  }

  @Test(
    arguments: [
      [0x80], [0xff], [0xc0, 0xaf], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80],
      [0xed, 0xbf, 0xbf],
      [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe9, 0x61],
    ] as [[UInt8]]) func `a string that is not UTF-8 is refused`(bytes: [UInt8])
  {
    let quote = UInt8(ascii: "\"")
    #expect(check([quote] + bytes + [quote]) == JSONError(offset: 1, problem: .invalidUTF8))
    #expect(check([quote] + bytes) == JSONError(offset: 1, problem: .invalidUTF8))
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")]) func `128 levels are the most`(open: String, close: String) throws {
    func document(_ depth: Int) -> [UInt8] {
      Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
    #expect(check(document(128)) == nil)
    let error = try #require(check(document(129)))
    #expect(error == JSONError(offset: 128 * open.utf8.count, problem: .tooDeep))
    #expect(error.description.hasSuffix("expected at most 128 levels, found one more"))
    #expect(check(document(100_000))?.problem == .tooDeep)
    #expect(check(Array(String(repeating: open, count: 100_000).utf8))?.problem == .tooDeep)
  }

  @Test func `many containers side by side are no depth`() {
    #expect(check(Array(("[" + Array(repeating: "[{}]", count: 1000).joined(separator: ",") + "]").utf8)) == nil)
  }

  @Test func `no prefix of a document and no flipped byte makes the reader run astray`() {
    let document = Array(#"{"a":[1.5e-3,"x\u00e9\ud834\udd1e",{"b":null}],"é":true}"#.utf8)
    #expect(check(document) == nil)
    for end in 0..<document.count { #expect(check(Array(document[..<end])) != nil, "the first \(end) bytes") }
    for index in document.indices {
      for byte in UInt8.min...UInt8.max {
        var mutated = document
        mutated[index] = byte
        if let error = check(mutated) { #expect((0...document.count).contains(error.offset)) }
      }
    }
  }
}
