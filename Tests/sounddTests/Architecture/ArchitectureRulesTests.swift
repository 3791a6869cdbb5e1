import Testing

/// The rules notice what breaks them, and nothing else.
struct ArchitectureRulesTests {
  private static let markdown = """
    | folder | may name the types of | may import |
    |---|---|---|
    | `Low` | – | `Glibc` |
    | `High` | `Low` | – |
    | `Side` | `Low` | – |

    | C calls | only in |
    |---|---|
    | `snd_`, `calsa_` | `High` |
    | `sf_` | `Low` |
    """

  /// The rules, held against files of the given paths below Sources/Library.
  private func rules(_ sources: [String: String]) -> ArchitectureRules {
    var sources = sources
    sources["Low/Frame.swift"] = "struct Frame {}"
    sources["High/Timer.swift"] = "struct Timer { struct Hidden {} }"
    sources["Side/Side.swift"] = "enum Side {}"
    let files = sources.sorted { $0.key < $1.key }.map {
      SourceFile(path: "Sources/Library/\($0.key)", source: $0.value)
    }
    return ArchitectureRules(table: LayerTable(markdown: Self.markdown), files: files)
  }

  @Test func `sources that keep the rules pass`() {
    let rules = rules([
      "High/Good.swift": """
      /// Not to be mistaken for a use: Side, snd_pcm_open, try!, fatalError.
      public struct Good {
        let text = "Side sf_open \\(Frame()) try!"
        var pointer: UnsafePointer<Float>?
        func open() { snd_pcm_open() }
      }
      """,
      "Low/Reader.swift": "import Glibc\nlet file = sf_open()",
    ])
    #expect(rules.strangers == [])
    #expect(rules.foreignImports == [])
    #expect(rules.foreignNames == [])
    #expect(rules.foreignCalls == [])
    #expect(rules.publicUnsafe == [])
    #expect(rules.largeFolders == [])
    #expect(rules.longFunctions == [])
    #expect(rules.traps == [])
    #expect(rules.unprovedSendables == [])
  }

  @Test func `a folder that is not in the table is noticed`() {
    #expect(rules(["New/New.swift": ""]).strangers == ["the folder 'New' is not in the table"])
  }

  @Test func `a row without a folder is noticed`() {
    let rules = ArchitectureRules(table: LayerTable(markdown: Self.markdown), files: [])
    #expect(rules.strangers == ["High", "Low", "Side"].map { "there is no folder '\($0)'" })
  }

  @Test(arguments: ["import Foundation", "@preconcurrency import Foundation", "package import struct Foundation.URL"])
  func `a forbidden import is noticed`(line: String) {
    #expect(
      rules(["Low/A.swift": "import Glibc\n\(line)"]).foreignImports
        == ["Sources/Library/Low/A.swift:2: Low may not import Foundation"])
  }

  @Test func `a name from above is noticed`() {
    #expect(
      rules(["Low/A.swift": "\nlet timer: Timer? = nil"]).foreignNames
        == ["Sources/Library/Low/A.swift:2: Low may not name Timer of High"])
  }

  @Test func `a name from beside is noticed, also in an interpolation`() {
    #expect(
      rules(["High/A.swift": #"let text = "a \(f("(") + "\(Side.self)") b""#]).foreignNames
        == ["Sources/Library/High/A.swift:1: High may not name Side of Side"])
  }

  @Test func `a type of one's own may be called like one of another folder`() {
    #expect(rules(["Low/A.swift": "enum A { struct Timer {} }\nlet timer: A.Timer"]).foreignNames == [])
  }

  @Test(arguments: ["snd_pcm_open()", "calsa_start()", "let format = SND_PCM_FORMAT_S16"])
  func `a call of C in the wrong place is noticed`(line: String) {
    #expect(rules(["Low/A.swift": line]).foreignCalls.count == 1)
  }

  @Test func `an import of CALSA in the wrong place is noticed`() {
    #expect(rules(["Side/A.swift": "import CALSA"]).idleImports == ["Sources/Library/Side/A.swift: imports CALSA"])
    #expect(rules(["High/A.swift": "import CALSA", "Low/Reader.swift": "import CALSA"]).idleImports == [])
  }

  @Test(arguments: [
    "public let frames: UnsafePointer<Float>",
    "public func read(\n  into: Int,\n  from: UnsafeRawBufferPointer\n) {}",
    "open var handle: OpaquePointer { get }",
  ])
  func `something unsafe that is public is noticed`(declaration: String) {
    #expect(rules(["Low/A.swift": declaration]).publicUnsafe.count == 1)
  }

  @Test func `a folder of nineteen files is noticed`() {
    func sources(_ count: Int) -> [String: String] {
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("Low/Deep/File\($0).swift", "") })
    }
    #expect(rules(sources(18)).largeFolders == [])
    #expect(rules(sources(19)).largeFolders == ["Sources/Library/Low/Deep: 19 files; split it by purpose"])
  }

  @Test(arguments: [
    "func work(\n    a: Int\n  ) -> Int", "init?<T>(a: T) where T: Other", "deinit", "subscript(a: Int) -> Int",
    "var work: Int",
  ])
  func `a function of 61 lines is noticed`(head: String) {
    func source(_ lines: Int) -> String {
      let inside = lines - 2 - head.count { $0 == "\n" }
      return "struct A {\n  \(head) {\n" + String(repeating: "    if let a { b { a } }\n", count: inside) + "  }\n}\n"
    }
    #expect(rules(["Low/A.swift": source(60)]).longFunctions == [])
    #expect(rules(["Low/A.swift": source(61)]).longFunctions.count == 1)
    #expect(rules(["Low/A.swift": source(61)]).longFunctions.first?.contains("A.swift:2: ") == true)
  }

  @Test(arguments: ["fatalError()", "preconditionFailure(\"never\")", "let a = try! b()", "let a = b as! C"])
  func `a trap is noticed`(line: String) {
    #expect(rules(["Low/A.swift": line]).traps.count == 1)
  }

  @Test func `an unchecked Sendable without a reason is noticed`() {
    let type = "final class Shared: @unchecked Sendable {}"
    #expect(rules(["Low/A.swift": type]).unprovedSendables.count == 1)
    #expect(rules(["Low/A.swift": "/// Safety of `@unchecked Sendable`: …\n\(type)"]).unprovedSendables == [])
  }

  @Test(arguments: [
    ("a // b", "a     "),
    ("a /* b /* c */ d */ e", "a                   e"),
    (#"a "b \" c" d"#, "a          d"),
    (##"a #"b " \( c"# d"##, "a              d"),
    (#""\(a + "b\(c)" + d)" e"#, "   a +     c   + d   e"),
    ("\"\"\"\n a \" b\n\"\"\" c", "   \n      \n    c"),
  ])
  func `comments and literals are no code`(source: String, code: String) {
    #expect(SwiftCode(source).text == code)
  }
}
