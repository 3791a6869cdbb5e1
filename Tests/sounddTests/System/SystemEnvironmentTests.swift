import Testing

@testable import soundd

struct SystemEnvironmentTests {
  private func folders(_ executable: String, data: String? = nil) -> [String] {
    var environment = SystemEnvironment(variables: ["HOME": "/home/ann"], workingDirectory: "/", executable: executable)
    environment.variables["XDG_DATA_DIRS"] = data
    return environment.soundFolders(configurationFile: "/etc/xdg/soundd/config.toml")
  }

  private let own = ["/etc/xdg/soundd/sounds", "/home/ann/.local/share/soundd/sounds"]

  @Test func `the administrator's sounds replace those of a package`() {
    let system = ["/usr/local/share/soundd/sounds", "/usr/share/soundd/sounds", "(built in)"]
    #expect(folders("/usr/bin/soundd") == own + system)
    #expect(folders("/usr/local/bin/soundd") == own + system)
  }

  @Test func `a program elsewhere has its own sounds first`() {
    let system = ["/usr/local/share/soundd/sounds", "/usr/share/soundd/sounds", "(built in)"]
    #expect(folders("/opt/soundd/bin/soundd") == own + ["/opt/soundd/share/soundd/sounds"] + system)
    let built = folders("/src/soundd/.build/release/soundd")
    #expect(built == own + ["/src/soundd/.build/share/soundd/sounds", "/src/soundd/sounds"] + system)
  }

  @Test func `XDG_DATA_DIRS decides, and a folder that it leaves out comes first`() {
    #expect(
      folders("/usr/bin/soundd", data: "/data:/usr/share")
        == own + ["/data/soundd/sounds", "/usr/share/soundd/sounds", "(built in)"])
    #expect(
      folders("/usr/bin/soundd", data: "/data")
        == own + ["/usr/share/soundd/sounds", "/data/soundd/sounds", "(built in)"])
  }
}
