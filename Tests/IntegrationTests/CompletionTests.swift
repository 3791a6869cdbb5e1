import Foundation
import Testing

/// The tab key in the real shells, beside a running daemon.
struct CompletionTests {
  private static let configuration = """
    [output]
    device = "none"
    [value."door:front"]
    type = "bool"
    [value.build]
    [[trigger]]
    name = "too hot"
    value = "build"
    sound = "success"
    [[trigger]]
    value = "door:front"
    sound = "error"
    """

  /// What is typed before the tab key, and the arguments that come of it.
  private static let lines: [(typed: String, arguments: [String])] = [
    ("soundd expl", ["explain"]),
    ("soundd get bu", ["get", "build"]),
    ("soundd get door:f", ["get", "door:front"]),
    ("soundd set door:front=t", ["set", "door:front=true"]),
    ("soundd explain too", ["explain", "too hot"]),
    ("soundd profile q", ["profile", "quiet"]),
    ("soundd play succ", ["play", "success"]),
    ("soundd play my", ["play", "my sound"]),
    ("soundd play run", ["play", "run$(touch pwned)`touch pwned`'\""]),
    ("soundd play a:b", ["play", "a:b=c"]),
    ("soundd watch tick --type num", ["watch", "tick", "--type", "number"]),
    ("soundd run --config conf.", ["run", "--config", "conf.toml"]),
  ]

  @Test(arguments: InteractiveShell.Kind.allCases)
  func `names are completed, whatever is in them`(kind: InteractiveShell.Kind) throws {
    let home = try Home()
    for name in ["my sound", "run$(touch pwned)`touch pwned`'\"", "a:b=c"] {
      try home.write("config/soundd/sounds/\(name).wav", "")
    }
    try home.write("conf.toml", "")
    _ = try home.daemon(Self.configuration)
    let shell = try InteractiveShell(kind, in: home)
    for (typed, arguments) in Self.lines { #expect(try shell.complete(typed) == arguments, "\(typed)") }
    #expect(!FileManager.default.fileExists(atPath: home("pwned")))
  }

  @Test(arguments: InteractiveShell.Kind.allCases)
  func `without a daemon the tab key is silent`(kind: InteractiveShell.Kind) throws {
    let shell = try InteractiveShell(kind, in: try Home())
    #expect(try shell.complete("soundd get bu") == ["get", "bu"])
    #expect(try shell.complete("soundd expl") == ["explain"])
  }
}
