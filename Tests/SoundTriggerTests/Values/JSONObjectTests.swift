import SoundTrigger
import Testing

@Suite struct JSONObjectTests {
  private func object(_ text: String) throws -> JSONObject { try JSONObject(Array(text.utf8)) }

  @Test func `members are a string's characters, or what is written`() throws {
    let object = try object(
      #" {"a":"x\ny","b":1.50,"c":null,"d":{"e":[1, 2]},"f":true,"g":7,"\u0068":"\u00e9\ud83d\ude00\/"} "#)
    #expect(object.text("a") == "x\ny")
    #expect(object.shown("a") == #"x\ny"#)
    #expect(object.text("b") == "1.50")
    #expect(object["c"] == nil)
    #expect(object.shown("c") == "-")
    #expect(object.object("d").text("e") == "[1, 2]")
    #expect(object.object("f").text("e") == nil)
    #expect(object.number("g") == 7)
    #expect(object.number("b") == nil)
    #expect(object.text("h") == "é\u{1F600}/")
    #expect(object["missing"] == nil)
  }

  @Test(arguments: ["", "1", "[1]", "{", #"{"a":}"#, #"{"a":1} x"#])
  func `what is no object is refused`(text: String) {
    #expect(throws: JSONError.self) { try object(text) }
  }

  @Test func `an array gives its objects`() throws {
    let objects = try JSONObject.array(Array(#" [{"a":"]},{"}, {"a":"2"} ] "#.utf8))
    #expect(objects.map { $0.text("a") } == ["]},{", "2"])
    #expect(try JSONObject.array(Array("[]".utf8)).isEmpty)
  }

  @Test func `the texts of an array leave out null, but not the word`() throws {
    let object = try object(#"{"a":["x",null,"null",7],"b":"x","c":[null]}"#)
    #expect(object.texts("a") == ["x", "null", "7"])
    #expect(object.texts("b").isEmpty && object.texts("c").isEmpty && object.texts("d").isEmpty)
  }

  @Test(arguments: ["", "{}", "[", "[1]", "[{}", "[{},]", "[{}] x"])
  func `what is no array of objects is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSONObject.array(Array(text.utf8)) }
  }
}
