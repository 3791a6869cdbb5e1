import SoundTrigger
import Testing

@Suite struct SocketPathTests {
  /// For user 7, with these owners of folders.
  private func resolve(
    _ option: String?, _ variables: [String: String] = [:], owners: [String: UInt32] = [:]
  ) -> Result<String, SocketPath.Problem> {
    do throws(SocketPath.Problem) {
      return .success(
        try SocketPath.resolve(option: option, folder: { Self.folder($0, owners) }) { variables[$0] })
    } catch { return .failure(error) }
  }

  private static func folder(_ variable: String?, _ owners: [String: UInt32]) -> RuntimeFolder {
    RuntimeFolder(variable: variable, user: 7) { owners[$0] }
  }

  @Test func `the option goes before the variable, and that before the runtime folder`() {
    let variables = ["SOUNDD_SOCKET": "/b", "XDG_RUNTIME_DIR": "/run/user/7"]
    let owners: [String: UInt32] = ["/run/user/7": 7]
    #expect(resolve("/a", variables, owners: owners) == .success("/a"))
    #expect(resolve(nil, variables, owners: owners) == .success("/b"))
    #expect(
      resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/7", "SOUNDD_SOCKET": ""], owners: owners)
        == .success("/run/user/7/soundd.sock"))
  }

  @Test func `the folder of the variable goes before the one of logind`() {
    #expect(
      resolve(nil, ["XDG_RUNTIME_DIR": "/tmp/own"], owners: ["/tmp/own": 7, "/run/user/7": 7])
        == .success("/tmp/own/soundd.sock"))
  }

  /// Not set, as in cron; empty; relative; missing; of another user, as after su.
  @Test(arguments: [nil, "", "run", "/nowhere", "/run/user/0"])
  func `a variable without a folder of the user leads to the one of logind`(variable: String?) {
    let variables = variable.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]
    #expect(
      resolve(nil, variables, owners: ["/run/user/0": 0, "/run/user/7": 7]) == .success("/run/user/7/soundd.sock"))
  }

  @Test(arguments: [
    (nil, "XDG_RUNTIME_DIR is not set"), ("", "XDG_RUNTIME_DIR is not set"),
    ("run", "XDG_RUNTIME_DIR is 'run', which is not an absolute path"),
    ("/run/user/0", "XDG_RUNTIME_DIR is /run/user/0, which belongs to another user"),
  ])
  func `without either folder the problem names both`(variable: String?, flaw: String) {
    let variables = variable.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]
    // Another user may have made the folder of logind.
    for owners: [String: UInt32] in [["/run/user/0": 0], ["/run/user/0": 0, "/run/user/7": 0]] {
      guard case .failure(let problem) = resolve(nil, variables, owners: owners) else {
        Issue.record("there is a path")
        continue
      }
      #expect(
        problem.description == "there is no folder for the socket: \(flaw), and /run/user/7 is missing: log in, "
          + "give --socket PATH, or set SOUNDD_SOCKET")
    }
  }

  @Test func `a missing folder that the user has set is the one that errors name`() {
    #expect(resolve(nil, ["XDG_RUNTIME_DIR": "/nowhere"]) == .success("/nowhere/soundd.sock"))
  }

  @Test func `what cannot be a path is refused with advice`() {
    #expect(resolve("") == .failure(.empty))
    #expect(resolve("@x") == .failure(.abstract("@x")))
    let longest = "/" + String(repeating: "p", count: 106)
    #expect(resolve(longest) == .success(longest))
    #expect(resolve(longest + "p") == .failure(.tooLong(longest + "p")))
    #expect(SocketPath.Problem.tooLong(longest + "p").description.contains("107 bytes"))
  }
}
