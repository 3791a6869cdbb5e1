import Testing

@testable import soundd

private let oneLine =
  "the rest of the table in braces: it ends on the line where it begins, or has a [header] of its own"
private let straight = ": write straight quotes, \" or ', instead of typographic ones"

/// The locations that messages give for keys, values and problems.
struct TOMLLocationTests {
  private func read(_ text: String) throws -> TOMLTable { try TOMLReader.read(Array(text.utf8)) }

  private func location(_ line: Int, _ column: Int) -> TOMLLocation { TOMLLocation(line: line, column: column) }

  @Test func `keys and values stand at their first character`() throws {
    let table = try read("a = 1\n\n  b  =  'x' # c\n\"c\"=[ 1,\n  2]\n")
    let a = try #require(table["a"])
    #expect(a.keyLocation == location(1, 1))
    #expect(a.node.location == location(1, 5))
    let b = try #require(table["b"])
    #expect(b.keyLocation == location(3, 3))
    #expect(b.node.location == location(3, 9))
    let c = try #require(table["c"])
    #expect(c.keyLocation == location(4, 1))
    #expect(c.node.location == location(4, 5))
    guard case .array(let items) = c.node.value else {
      Issue.record("c is no array")
      return
    }
    #expect(items.map(\.location) == [location(4, 7), location(5, 3)])
  }

  @Test func `columns count scalars, and a byte order mark is none`() throws {
    let table = try read("\u{FEFF}\"ä€😀\" = '😀'\n'e\u{301}' = 1")
    #expect(table.entries.map(\.keyLocation) == [location(1, 1), location(2, 1)])
    #expect(table.entries.map(\.node.location) == [location(1, 9), location(2, 8)])
  }

  @Test func `carriage returns and long strings do not shift the lines`() throws {
    let table = try read("a = \"\"\"\r\nx \\\r\n\r\n  y\"\"\"\r\nb = '''\n\n'''\nc = 1")
    #expect(table.entries.map(\.keyLocation) == [location(1, 1), location(5, 1), location(8, 1)])
  }

  @Test func `a table stands at its header, an implied one at its key`() throws {
    let table = try read("\n[a.b]\nx.y = 1\n [[c]]\n[[c]]\n d = { e = 1 }")
    let a = try #require(table["a"])
    #expect(a.keyLocation == location(2, 2))
    #expect(a.node.location == location(2, 2))
    let b = try #require(a.node.table?["b"])
    #expect(b.keyLocation == location(2, 4))
    #expect(b.node.location == location(2, 1))
    #expect(b.node.table?["x"]?.node.location == location(3, 1))
    #expect(b.node.table?["x"]?.node.table?["y"]?.keyLocation == location(3, 3))
    guard case .array(let items) = table["c"]?.node.value else {
      Issue.record("c is no array")
      return
    }
    #expect(items.map(\.location) == [location(4, 2), location(5, 1)])
    #expect(items.last?.table?["d"]?.node.location == location(6, 6))
    #expect(items.last?.table?["d"]?.node.table?["e"]?.keyLocation == location(6, 8))
  }

  @Test func `a table that is only implied takes dotted keys`() throws {
    let table = try read("[a.b.c]\n[a]\nb.d = 1")
    #expect(table["a"]?.node.table?["b"]?.node.table?.entries.map(\.key) == ["c", "d"])
  }

  @Test func `keys that differ in bytes are two keys`() throws {
    let table = try read("'\u{E9}' = 1\n'e\u{301}' = 2")
    #expect(table.entries.count == 2)
  }

  @Test(arguments: [
    ("a", "1:2: expected '=' after the key, found the end of the file"),
    ("a = ", "1:5: expected a value, found the end of the file"),
    ("a = \nb = 1", "1:5: expected a value, found the end of the line"),
    ("a = {\n", "1:6: expected \(oneLine), found the end of the line"),
    ("a = { b = 1\n}", "1:12: expected \(oneLine), found the end of the line"),
    ("a = { b = 1, # c\n }", "1:14: expected \(oneLine), found '#'"),
    ("a = ~/status", "1:5: expected a value (a string needs quotes), found '~'"),
    ("a = /run/x", "1:5: expected a value (a string needs quotes), found '/'"),
    ("a = passed", "1:5: expected a value (a string needs quotes), found 'passed'"),
    ("a = 1 2", "1:7: expected the end of the line, found '2'"),
    ("a = 01", "1:5: expected a number, found '01'"),
    ("a = 1__0", "1:5: expected a number, found '1__0'"),
    ("a = 9223372036854775808", "1:5: expected a number that fits 64 bits, found '9223372036854775808'"),
    ("a = 1e400", "1:5: expected a number that fits 64 bits, found '1e400'"),
    ("a = 2021-02-28 23:00:00 1", "1:25: expected the end of the line, found '1'"),
    ("a = \"x", "1:5: expected a closing '\"', found the end of the file"),
    ("a = 'x\nb", "1:5: expected a closing \"'\", found the end of the line"),
    ("a = '''x\n\n", "1:5: expected a closing \"'''\", found the end of the file"),
    (
      "a = \"ä\\q\"",
      "1:7: a backslash and 'q' is no escape in double quotes: write a regular expression or a path in single quotes, such as '\\d+', "
        + "or \\\\ for a backslash"
    ),
    (
      "a = \"\\u12x4\"", "1:6: expected 4 hexadecimal digits, found 'x': write a text with backslashes in single quotes"
    ),
    (
      "a = \"C:\\Users\\me\"",
      "1:8: expected 8 hexadecimal digits, found 's': write a text with backslashes in single quotes"
    ),
    ("a = “x”", "1:5: expected a value, found '“'\(straight)"),
    ("a = \"x”", "1:5: expected a closing '\"', found the end of the file\(straight)"),
    ("a = ‘x’", "1:5: expected a value, found '‘'\(straight)"),
    ("“a” = 1", "1:1: expected a key, found '“'\(straight)"),
    ("a = \"\\ud800\"", "1:6: expected a Unicode scalar value, found U+D800"),
    ("a = \"x\u{0}y\"", "1:7: expected a character that may stand in a string, found '\\u{0}'"),
    ("a = 1\nb = 2\na = 3", "3:1: a is already an integer (line 1): remove one of the two"),
    ("a.b = 1\na.b.c = 2", "2:3: a.b is already an integer (line 1): remove one of the two"),
    ("[a]\n[b]\n[a]", "3:2: a is already a table (line 1): remove one of the two"),
    ("[a]\n[[a]]", "2:3: a is already a table (line 1), not an array of [[tables]]"),
    ("[[a]]\n[a]", "2:2: a is already an array of tables (line 1): write [[a]] for one more"),
    (
      "[[a.'b c']]\n[a.'b c']",
      "2:4: a.\"b c\" is already an array of tables (line 1): write [[a.\"b c\"]] for one more"
    ),
    ("a = [{}]\n[a]", "2:2: a is already an array (line 1): remove one of the two"),
    ("[a.b.c]\n[a]\nb.d = 1\n[a.b]", "4:4: a.b is already a table (line 1): remove one of the two"),
    ("[a.b]\n[a]\nb.c = 1", "3:1: b is already a table (line 1): remove one of the two"),
    ("a = 1\n[a.b]", "2:2: a is already an integer (line 1), not a table"),
    ("[a", "1:3: expected ']', found the end of the file"),
    ("[[a]", "1:5: expected ']]', found the end of the file"),
    ("a = [1 2]", "1:8: expected ',' or ']' in the array, found '2'"),
    ("a = { b = 1 c = 2 }", "1:13: expected ',' or '}' in the inline table, found 'c'"),
    ("a = { b = 1, }", "1:14: expected a key, found '}'"),
    ("= 1", "1:1: expected a key, found '='"),
    ("\"\"\"a\"\"\" = 1", "1:1: expected a key on one line, found a multi-line string"),
    ("a = 1 # \u{7F}", "1:9: expected a comment, found '\\u{7f}'"),
    ("a = 1\rb = 2", "1:6: expected a line feed after the carriage return, found 'b'"),
    ("'\u{202E}\n", "1:1: expected a closing \"'\", found the end of the line"),
    ("a = \u{202E}", "1:5: expected a value, found '\\u{202e}'"),
  ])
  func `a problem is shown with its location`(text: String, message: String) {
    let error = #expect(throws: TOMLProblem.self) { try TOMLReader.read(Array(text.utf8)) }
    #expect(error.map(String.init(describing:)) == message)
  }

  @Test func `a byte that is not UTF-8 is found`() {
    let bytes = Array("a = 1\nb = 'ä".utf8) + [0xFF] + Array("'".utf8)
    #expect(throws: TOMLProblem(location: location(2, 7), message: "expected UTF-8, found a byte that is not")) {
      try TOMLReader.read(bytes)
    }
  }
}

extension TOMLNode {
  /// The table, if the node is one.
  fileprivate var table: TOMLTable? {
    if case .table(let table) = value { table } else { nil }
  }
}
