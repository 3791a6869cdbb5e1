import Testing

@testable import soundd

/// The defaults are those of the XDG Base Directory Specification 0.8.
struct PathExpansionTests {
  private static let set = [
    "HOME": "/home/ann", "XDG_CONFIG_HOME": "/x/config/", "XDG_CACHE_HOME": "/x/cache", "XDG_DATA_HOME": "/x/data",
    "XDG_STATE_HOME": "/x/state", "XDG_RUNTIME_DIR": "/run/user/1000",
  ]

  private func expand(
    _ text: String, in file: String = "/etc/soundd/config.toml", _ variables: [String: String] = set
  ) throws -> String {
    let environment = SystemEnvironment(variables: variables, workingDirectory: "/here")
    return try PathExpansion(configurationFile: file, environment: environment).file(text)
  }

  @Test(arguments: [
    ("/a/b", "/a/b"), ("a", "/etc/soundd/a"), ("./a/./b", "/etc/soundd/a/b"), ("../a", "/etc/soundd/../a"),
    ("//a//b", "/a/b"), ("~/a", "/home/ann/a"), ("~", "/home/ann"), ("a~", "/etc/soundd/a~"),
    ("b/~/a", "/etc/soundd/b/~/a"),
    ("$HOME/a", "/home/ann/a"), ("${HOME}a", "/home/anna"), ("$XDG_CONFIG_HOME/a", "/x/config/a"),
    ("$XDG_CACHE_HOME/a", "/x/cache/a"), ("$XDG_DATA_HOME/a", "/x/data/a"), ("$XDG_STATE_HOME/a", "/x/state/a"),
    ("$XDG_RUNTIME_DIR/a", "/run/user/1000/a"), ("${XDG_STATE_HOME}/$XDG_RUNTIME_DIR", "/x/state/run/user/1000"),
    ("/a-$HOME-b", "/a-/home/ann-b"), ("a$$HOME", "/etc/soundd/a$HOME"), ("ä/ö", "/etc/soundd/ä/ö"),
  ])
  func `a path becomes absolute`(text: String, path: String) throws {
    #expect(try expand(text) == path)
  }

  @Test(arguments: [
    ("$XDG_CONFIG_HOME/a", "/home/ann/.config/a"), ("$XDG_CACHE_HOME/a", "/home/ann/.cache/a"),
    ("$XDG_DATA_HOME/a", "/home/ann/.local/share/a"), ("$XDG_STATE_HOME/a", "/home/ann/.local/state/a"),
  ])
  func `base directories have defaults`(text: String, path: String) throws {
    #expect(try expand(text, ["HOME": "/home/ann"]) == path)
    let relative = ["HOME": "/home/ann", "XDG_CONFIG_HOME": "x", "XDG_CACHE_HOME": "", "XDG_DATA_HOME": "./x"]
    #expect(try expand(text, relative) == path)
  }

  @Test(arguments: [
    ("config.toml", "/here/a"), ("sub/config.toml", "/here/sub/a"), ("./config.toml", "/here/a"),
    ("/config.toml", "/a"),
  ])
  func `relative paths start from the configuration file`(file: String, path: String) throws {
    #expect(try expand("a", in: file) == path)
  }

  @Test(arguments: ["~/a", "$HOME/a", "$XDG_CONFIG_HOME/a", "$XDG_RUNTIME_DIR/a"])
  func `what is not set is not guessed`(text: String) {
    #expect(throws: SettingProblem.self) { try expand(text, [:]) }
    #expect(throws: SettingProblem.self) { try expand(text, ["HOME": "ann", "XDG_RUNTIME_DIR": "run"]) }
  }

  @Test func `a dollar sign in a variable's value is part of a name`() throws {
    #expect(try expand("~/a", ["HOME": "/home/$HOME"]) == "/home/$HOME/a")
  }

  private func expand(_ text: String, _ variables: [String: String]) throws -> String {
    try expand(text, in: "/etc/soundd/config.toml", variables)
  }
}
