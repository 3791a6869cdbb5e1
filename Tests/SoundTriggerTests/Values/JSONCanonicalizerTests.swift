import Testing

@testable import SoundTrigger

struct JSONCanonicalizerTests {
  private func canonical(_ document: String) throws(JSONError) -> String {
    var canonicalizer = JSONCanonicalizer()
    try canonicalizer.canonicalize(Array(document.utf8).span)
    return String(decoding: canonicalizer.result, as: UTF8.self)
  }

  @Test(arguments: [
    ("1", ["1.0", "1e0", "1E+0", "10e-1", "0.1e1", "100e-02", "1.000000", "0.001e3", " 1 "]),
    ("0", ["-0", "0.0", "-0.0", "0e5", "0e-99999999999999999999", "-0e99999999999999999999"]),
    ("-1.5", ["-15e-1", "-1.50", "-0.15e1"]),
    ("100", ["1e2", "1.00e2", "100.0", "1000e-1"]),
    ("0.001", ["1e-3", "0.0010", "0.1e-2", "1000e-6"]),
    ("101.01", ["10101e-2", "101.0100", "1.0101e2"]),
    ("0.000001", ["1e-6", "0.1e-5"]),
    ("1e-7", ["0.0000001", "10e-8"]),
    ("100000000000000000000", ["1e20", "1.0e20"]),
    ("1e+21", ["1000000000000000000000", "10e20", "0.1e22"]),
    ("1.5e+300", ["15e299", "150e298"]),
    ("-1.25e-300", ["-125e-302"]),
    ("12345678901234567890123", ["12345678901234567890123.0", "1.2345678901234567890123e22"]),
    ("9007199254740993", ["9007199254740993.0", "9007199254740993e0"]),
    ("1e+999999999999999", ["10e999999999999998", "1e000999999999999999", "0.001e1000000000000002"]),
    ("1.5e-999999999999999", ["15e-1000000000000000", "0.15e-999999999999998"]),
  ]) func `spellings of one number are one`(expected: String, spellings: [String]) throws {
    #expect(try canonical(expected) == expected)
    for spelling in spellings { #expect(try canonical(spelling) == expected, "\(spelling)") }
  }

  @Test(arguments: [
    ["9007199254740992", "9007199254740993", "9007199254740992.5"], ["1e400", "1e401", "-1e400"],
    ["0.1", "0.10000000000000000001"], ["1", "10", "100", "1e21", "1e22", "0.1", "0.01", "1e-7", "1e-8"],
    ["1", "\"1\"", "true", "[1]", "{\"1\":1}"], ["null", "\"null\"", "false", "0", "\"\"", "[]", "{}"],
    ["[1,2]", "[2,1]", "[12]", "[1,2,null]"], [#"{"a":1}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"A":1}"#],
    [#""é""#, #""e\u0301""#],
  ]) func `documents that differ stay distinct`(documents: [String]) throws {
    // As bytes: two Strings are equal if they are canonically equivalent, two documents are not.
    var forms: Set<[UInt8]> = []
    for document in documents { forms.insert(Array(try canonical(document).utf8)) }
    #expect(forms.count == documents.count)
  }

  @Test(arguments: [
    (#"{"a":1,"b":2}"#, [#"{"b":2,"a":1}"#, " { \"b\" : 2.0 ,\n\t\"a\" : 1 } ", #"{"\u0062":2,"\u0061":1e0}"#]),
    (#"{"":0,"a":{"x":[1,{"y":2,"z":3}]},"é":null}"#, [#"{"é":null,"a":{"x":[1,{"z":3,"y":2}]},"":0}"#]),
    (#"{"a":1,"aa":2,"b":3}"#, [#"{"b":3,"aa":2,"a":1}"#]),
    // U+FFFD before U+1F600: the order of UTF-8, not that of UTF-16.
    ("{\"\u{fffd}\":1,\"\u{1F600}\":2}", [#"{"\ud83d\ude00":2,"\ufffd":1}"#]),
    ("[]", ["[ ]", "[\n]"]), ("{}", ["{ }"]), ("[true,false,null]", ["[ true , false , null ]"]),
  ]) func `white space and the order of keys do not matter`(expected: String, spellings: [String]) throws {
    #expect(try canonical(expected) == expected)
    for spelling in spellings { #expect(try canonical(spelling) == expected, "\(spelling)") }
  }

  @Test(arguments: [
    (#""a/b""#, [#""a\/b""#, #""\u0061\u002fb""#, #""\u0061\u002Fb""#]),
    (#""\"\\""#, [#""\u0022\u005c""#, #""\u0022\u005C""#]),
    (#""\b\t\n\f\r""#, [#""\u0008\u0009\u000a\u000C\u000d""#]),
    (#""\u0000\u001f""#, [#""\u0000\u001F""#]),
    ("\"\u{7f}é\u{1F600}\"", [#""\u007f\u00e9\uD83D\uDE00""#, #""\u007F\u00E9\ud83d\ude00""#]),
    ("\"\u{10000}\u{10ffff}\"", [#""\ud800\udc00\udbff\udfff""#]),
  ]) func `escapes are written one way`(expected: String, spellings: [String]) throws {
    #expect(try canonical(expected) == expected)
    for spelling in spellings { #expect(try canonical(spelling) == expected, "\(spelling)") }
  }

  @Test(arguments: [
    (#"{"a":1,"a":1}"#, #"{"a":1}"#), (#"[{"b":1,"a":{},"\u0062":2}]"#, #"[{"a":{},"b":2}]"#),
    (#"{"x":{"":1,"":2,"":{"y":[],"y":0}},"w":3}"#, #"{"w":3,"x":{"":{"y":0}}}"#),
    (#"{"b":1,"a":1,"b":[2],"a":null,"b":3}"#, #"{"a":null,"b":3}"#),
  ]) func `of a repeated key the last member counts`(document: String, expected: String) throws {
    #expect(try canonical(document) == expected)
  }

  @Test(arguments: [
    ("1e1000000000000000", "byte 2: expected an exponent within ±10^15, found one beyond it"),
    ("1e-1000000000000000", "byte 3: expected an exponent within ±10^15, found one beyond it"),
    ("10e999999999999999", "byte 3: expected an exponent within ±10^15, found one beyond it"),
    ("-0.1e-999999999999999", "byte 6: expected an exponent within ±10^15, found one beyond it"),
    ("1e99999999999999999999", "byte 2: expected an exponent within ±10^15, found one beyond it"),
    (#"{"a":"\ud800"}"#, "byte 6: expected a pair of surrogates, found one alone"),
    ("[1,2", "byte 4: expected ',' or ']', found the end"), ("1 1", "byte 2: expected the end, found '1'"),
    (#"{"a":1,}"#, "byte 7: expected a key in '\"', found '}'"),
  ]) func `what has no canonical form is refused`(document: String, message: String) {
    let error = #expect(throws: JSONError.self) { try canonical(document) }
    #expect(error?.description == message)
  }

  @Test func `a canonicalizer serves document after document, also after an error`() throws {
    var canonicalizer = JSONCanonicalizer()
    #expect(throws: JSONError.self) { try canonicalizer.canonicalize(Array(#"{"k":{"l":[1,"#.utf8).span) }
    try canonicalizer.canonicalize(Array(#"{"z":1,"k":2}"#.utf8).span)
    #expect(String(decoding: canonicalizer.result, as: UTF8.self) == #"{"k":2,"z":1}"#)
  }

  @Test func `a document too deep is refused and does not crash`() {
    for depth in [129, 100_000] {
      let error = #expect(throws: JSONError.self) { try canonical(String(repeating: "[", count: depth)) }
      #expect(error?.problem == .tooDeep)
    }
    #expect(throws: Never.self) {
      try canonical(String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
    }
  }

  @Test func `canonicalizing twice changes nothing`() throws {
    let document = #" {"b":[1.50,-0,1e30,"\u00e9\n",{"y":1,"x":[]}],"a":1e-9,"":null} "#
    let once = try canonical(document)
    #expect(try canonical(once) == once)
  }
}
