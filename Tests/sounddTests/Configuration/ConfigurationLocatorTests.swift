import Testing

@testable import soundd

struct ConfigurationLocatorTests {
  private func locator(_ variables: [String: String]) -> ConfigurationLocator {
    ConfigurationLocator(environment: ConfigurationEnvironment(variables: variables, workingDirectory: "/work"))
  }

  @Test func `the given file is taken, whether it exists or not`() throws {
    #expect(try locator(["HOME": "/h"]).locate(option: "x.toml") { _ in false } == "x.toml")
    #expect(try locator(["HOME": "/h"]).locate(option: "x.toml") { _ in true } == "x.toml")
  }

  @Test func `the user's file comes before the system's`() throws {
    let locator = locator(["HOME": "/h"])
    #expect(try locator.locate(option: nil) { _ in true } == "/h/.config/soundd/config.toml")
    #expect(try locator.locate(option: nil) { $0.hasPrefix("/etc") } == "/etc/xdg/soundd/config.toml")
  }

  @Test(arguments: [
    (["HOME": "/h", "XDG_CONFIG_HOME": "/c/"], ["/c/soundd/config.toml", "/etc/xdg/soundd/config.toml"]),
    (["HOME": "/h", "XDG_CONFIG_HOME": "c"], ["/h/.config/soundd/config.toml", "/etc/xdg/soundd/config.toml"]),
    (["XDG_CONFIG_DIRS": ""], ["/etc/xdg/soundd/config.toml"]),
    (["XDG_CONFIG_DIRS": "/a::b:/c"], ["/a/soundd/config.toml", "/c/soundd/config.toml"]),
    ([:], ["/etc/xdg/soundd/config.toml"]),
  ])
  func `base directories say where a file may be`(variables: [String: String], candidates: [String]) {
    #expect(locator(variables).candidates == candidates)
  }

  @Test func `without any file the places are named`() {
    let error = #expect(throws: ConfigurationLocator.NotFound.self) {
      try locator(["HOME": "/h"]).locate(option: nil) { _ in false }
    }
    #expect(
      error?.description
        == "no configuration file: write /h/.config/soundd/config.toml or /etc/xdg/soundd/config.toml, "
        + "or give one with --config FILE")
    let homeless = #expect(throws: ConfigurationLocator.NotFound.self) {
      try locator(["XDG_CONFIG_DIRS": "none"]).locate(option: nil) { _ in true }
    }
    #expect(
      homeless?.description
        == "no place for a configuration file is known: set HOME, or give one with --config FILE")
  }
}
