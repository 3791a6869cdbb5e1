import SoundTrigger
import Testing

@Suite struct SocketPathTests {
  private func resolve(_ option: String?, _ variables: [String: String] = [:]) -> Result<String, SocketPath.Problem> {
    do throws(SocketPath.Problem) {
      return .success(try SocketPath.resolve(option: option) { variables[$0] })
    } catch { return .failure(error) }
  }

  @Test func `the option goes before the variable, and that before the runtime folder`() {
    let variables = ["SOUNDD_SOCKET": "/b", "XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(resolve("/a", variables) == .success("/a"))
    #expect(resolve(nil, variables) == .success("/b"))
    #expect(
      resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/1", "SOUNDD_SOCKET": ""]) == .success("/run/user/1/soundd.sock"))
  }

  @Test func `what cannot be a path is refused with advice`() {
    #expect(resolve(nil) == .failure(.notSet))
    #expect(resolve("") == .failure(.empty))
    #expect(resolve("@x") == .failure(.abstract("@x")))
    let longest = "/" + String(repeating: "p", count: 106)
    #expect(resolve(longest) == .success(longest))
    #expect(resolve(longest + "p") == .failure(.tooLong(longest + "p")))
    #expect(SocketPath.Problem.tooLong(longest + "p").description.contains("107 bytes"))
    #expect(SocketPath.Problem.notSet.description.contains("--socket"))
  }
}
