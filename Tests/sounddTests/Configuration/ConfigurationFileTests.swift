import TestSupport
import Testing

@testable import soundd

/// Where the configuration file is.
struct ConfigurationFileTests {
  private func environment(_ variables: [String: String]) -> SystemEnvironment {
    SystemEnvironment(variables: variables, workingDirectory: "/work")
  }

  private func locate(_ option: String?, _ variables: [String: String]) throws(Failure) -> String {
    try ConfigurationFile.locate(option, environment: environment(variables))
  }

  @Test func `the given file is taken and no other, even if it is missing`() throws {
    #expect(try locate("/etc/passwd", ["HOME": "/h"]) == "/etc/passwd")
    #expect(throws: Failure(.noInput, "cannot read x.toml: No such file or directory")) {
      try locate("x.toml", ["HOME": "/h"])
    }
  }

  @Test func `the user's file comes before the system's`() throws {
    let folder = TemporaryFolder()
    let variables = ["HOME": folder("h"), "XDG_CONFIG_DIRS": folder("xdg")]
    let system = folder.write("xdg/soundd/config.toml", "")
    #expect(try locate(nil, variables) == system)
    let own = folder.write("h/.config/soundd/config.toml", "")
    #expect(try locate(nil, variables) == own)
  }

  @Test func `what this user may not look at is not absent`() {
    #expect(!ConfigurationFile.mayExist("/nowhere/config.toml"))
    #expect(!ConfigurationFile.mayExist("/dev/null/config.toml"))
    #expect(ConfigurationFile.mayExist("/etc/passwd"))
    // The kernel refuses to look.
    #expect(ConfigurationFile.mayExist("/" + String(repeating: "a", count: 300)))
  }

  @Test(arguments: [
    (["HOME": "/h", "XDG_CONFIG_HOME": "/c/"], ["/c/soundd/config.toml", "/etc/xdg/soundd/config.toml"]),
    (["HOME": "/h", "XDG_CONFIG_HOME": "c"], ["/h/.config/soundd/config.toml", "/etc/xdg/soundd/config.toml"]),
    (["XDG_CONFIG_DIRS": ""], ["/etc/xdg/soundd/config.toml"]),
    (["XDG_CONFIG_DIRS": "/a::b:/c"], ["/a/soundd/config.toml", "/c/soundd/config.toml"]),
    ([:], ["/etc/xdg/soundd/config.toml"]),
  ])
  func `base directories say where a file may be`(variables: [String: String], candidates: [String]) {
    #expect(ConfigurationFile.candidates(environment(variables)) == candidates)
  }

  @Test func `without any file the locations are named`() {
    let error = #expect(throws: Failure.self) { try locate(nil, ["HOME": "/h", "XDG_CONFIG_DIRS": "/x"]) }
    #expect(error?.code == .noInput)
    #expect(
      error?.description
        == "no configuration file at /h/.config/soundd/config.toml or /x/soundd/config.toml: 'soundd init' writes one, "
        + "and --config FILE names another place")
    let homeless = #expect(throws: Failure.self) { try locate(nil, ["XDG_CONFIG_DIRS": "none"]) }
    #expect(
      homeless?.description
        == "no place for a configuration file is known: set HOME, or give one with --config FILE")
  }
}
