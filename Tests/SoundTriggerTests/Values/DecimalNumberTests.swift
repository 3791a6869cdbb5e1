import Glibc
import Testing

@testable import SoundTrigger

struct DecimalNumberTests {
  private func parse(_ text: String) throws(ValueRefusal) -> Double { try DecimalNumber.parse(Array(text.utf8).span) }

  /// Every spelling has to give what the C library makes of it in the C locale.
  @Test(arguments: [
    "0", "1", "-1", "+1", "1.0", "007", "1.", ".5", "-.5", "+.5e1", "5.e1", "1e0", "1E5", "1e+5", "1e-5", "100", "1e22",
    "1e23",
    "9007199254740992", "9007199254740993", "9007199254740992e22", "123456789012345678", "1234567890123456789012345",
    "0.1", "0.2", "0.3", "3.14159", "0.000000000000000000000000000001", "1.7976931348623157e308", "4.9e-324",
    "2.5e-324",
    "1e-400", "-1e-400", "2.2250738585072014e-308", "2.2250738585072011e-308", "1e-99999999999", "0e99999999999",
    "0.500000000000000166533453693773481063544750213623046875",
    "1.00000000000000011102230246251565404236316680908203125",
    "8.5", "99.9999999999999999999", "000000000000000000000000000001", "1000000000000000000", "10000000000000000000",
    "0.00000000000000000001e20", "12345678901234567890.", ".12345678901234567890123",
  ]) func `a decimal number is the nearest Double`(text: String) throws {
    #expect(try parse(text) == strtod(text, nil))
  }

  @Test func `random numbers are the nearest Doubles`() throws {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      let digits = Int.random(in: 1...22, using: &generator)
      var text = Bool.random(using: &generator) ? "-" : ""
      for _ in 0..<digits { text += "\(Int.random(in: 0...9, using: &generator))" }
      if Bool.random(using: &generator) {
        text += "."
        for _ in 0..<Int.random(in: 0...10, using: &generator) { text += "\(Int.random(in: 0...9, using: &generator))" }
      }
      if Bool.random(using: &generator) { text += "e\(Int.random(in: -320...280, using: &generator))" }
      #expect(try parse(text) == strtod(text, nil), "\(text)")
    }
  }

  @Test func `zero has no sign`() throws {
    for text in ["-0", "-0.0", "-0e5", "-1e-400"] { #expect(try parse(text).sign == .plus, "\(text)") }
  }

  @Test(arguments: [
    ("", "'' is not a number"), ("abc", "'abc' is not a number"), ("1a", "'1a' is not a number"),
    (" 1", "' 1' is not a number"), ("1 ", "'1 ' is not a number"), ("1 2", "'1 2' is not a number"),
    ("1,5", "'1,5' is not a number"), ("1_000", "'1_000' is not a number"), ("0x10", "'0x10' is not a number"),
    ("0x1p3", "'0x1p3' is not a number"), ("--1", "'--1' is not a number"), ("+-1", "'+-1' is not a number"),
    (".", "'.' is not a number"), ("-", "'-' is not a number"), ("e5", "'e5' is not a number"),
    ("1e", "'1e' is not a number"), ("1e+", "'1e+' is not a number"), ("1e5.0", "'1e5.0' is not a number"),
    ("1.2.3", "'1.2.3' is not a number"), ("1\u{0}", "'1\\u{0}' is not a number"), ("٣", "'٣' is not a number"),
    ("true", "'true' is not a number"), ("nano", "'nano' is not a number"), ("nan(1)", "'nan(1)' is not a number"),
    ("NaN", "'NaN' is refused: NaN equals nothing, not even itself"),
    ("-nan", "'-nan' is refused: NaN equals nothing, not even itself"),
    ("inf", "'inf' is not a finite number"), ("+Infinity", "'+Infinity' is not a finite number"),
    ("1e309", "'1e309' is beyond the largest number (about 1.8e308)"),
    ("-1e99999999999999999999", "'-1e99999999999999999999' is beyond the largest number (about 1.8e308)"),
    (
      "123456789012345678901234567890123456789012345678901234567890x",
      "'123456789012345678901234567890123456789012345678901234567890…' is not a number"
    ),
  ]) func `anything else is refused with the reason`(text: String, message: String) {
    let refusal = #expect(throws: ValueRefusal.self) { try parse(text) }
    #expect(refusal?.description == message)
  }
}
