import SoundTrigger
import Testing

/// Settings of other programs are extended, and taken back.
struct JSONTreeTests {
  private func tree(_ text: String) throws -> JSONTree { try JSONTree(Array(text.utf8)) }

  private func text(_ tree: JSONTree?) -> String? {
    tree?.text(indent: "", at: "").replacing(": ", with: ":")
  }

  @Test(arguments: [
    #"{"b":1.50,"a":[true,null,"é\n\u00e9"],"":{}}"#, "[]", "{}", "-0.0e5", #""\"""#, #"[[],{"x":[{"y":1}]}]"#,
  ]) func `what is read is written with the same order and spelling`(document: String) throws {
    #expect(try text(tree(" " + document + "\n")) == document)
    #expect(try tree(tree(document).text()) == tree(document))
  }

  @Test func `a document for people has a member a line`() throws {
    #expect(
      try tree(#"{"a":[1,{}],"b":{"c":[]}}"#).text()
        == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}")
  }

  @Test(arguments: [
    (#"{"z":1,"a":2}"#, #"{"h":{"S":[1]}}"#, #"{"z":1,"a":2,"h":{"S":[1]}}"#),
    (#"{"h":{"S":[7],"T":[]}}"#, #"{"h":{"S":[1]},"i":3}"#, #"{"h":{"S":[7,1],"T":[]},"i":3}"#),
    (#"[1,2]"#, #"[2,3]"#, #"[1,2,3]"#), (#"{"a":"x"}"#, #"{"a":"x"}"#, #"{"a":"x"}"#),
  ]) func `only what is missing is added, and it can be taken out again`(
    old: String, addition: String, new: String
  ) throws {
    let merged = try tree(old).adding(tree(addition))
    #expect(text(merged) == new)
    #expect(try merged.adding(tree(addition)) == merged)
    let own = try tree(#"{"h":{"S":[1]}}"#)
    if try tree(addition) == own { #expect(try merged.removing(own) == tree(old)) }
  }

  @Test func `parts of different kinds cannot be joined, and the path is named`() throws {
    let problem = #expect(throws: JSONTree.Conflict.self) {
      try tree(#"{"h":{"S":1}}"#).adding(tree(#"{"h":{"S":[1]}}"#))
    }
    #expect(problem?.path == "h.S")
  }

  @Test func `nothing is left of what was all ours`() throws {
    // As a program may write it again.
    #expect(
      try text(tree(#"{"h":[{"b":1.0,"a":"x\/y"},2]}"#).removing(tree(#"{"h":[{"a":"x/y","b":1}]}"#))) == #"{"h":[2]}"#)
    #expect(try tree(#"{"h":{"S":[1]}}"#).removing(tree(#"{"h":{"S":[1]}}"#)) == nil)
    // What was empty before stays.
    #expect(
      try text(tree(#"{"h":{"S":[1],"T":[]},"m":{}}"#).removing(tree(#"{"h":{"S":[1]}}"#))) == #"{"h":{"T":[]},"m":{}}"#
    )
  }

  @Test(arguments: ["", "{", "{\"a\":1,}", "// no\n{}", "[1] 2", String(repeating: "[", count: 100_000)])
  func `what is no JSON is refused`(document: String) {
    #expect(throws: JSONError.self) { try tree(document) }
  }
}
