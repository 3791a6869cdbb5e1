import ArgumentParser
import TestSupport
import Testing

@testable import soundd

/// The plainest command lines are not parsed by the parser, and mean the same.
@Suite struct PlainCommandTests {
  /// What the parser makes of a command line.
  private func parsed(_ arguments: [String]) -> PlainCommand? {
    let command = try? Soundd.parseAsRoot(arguments)
    return switch command {
    case let set as SetCommand where set.inputName == nil:
      .set(set.assignments, socket: set.daemon.socket.path, ifRunning: set.daemon.ifRunning)
    case let get as GetCommand where !get.json: .get(get.name, socket: get.socket.path)
    case let list as ListCommand where !list.json: .list(socket: list.socket.path)
    default: nil
    }
  }

  private static let commands = ["set", "get", "list", "status"]
  private static let words = [
    "get", "a=1", "a", "", "--socket", "-", "--", "-x", "--json", "/s", "--socket=/s", "--help", "--if-running",
    "--stdin",
  ]

  @Test func `whatever is taken past the parser is what the parser makes of it`() {
    var taken = 0
    for command in Self.commands {
      for second in [nil] + Self.words.map(Optional.some) {
        let rest = second == nil ? [nil] : [nil] + Self.words.map(Optional.some)
        for third in rest {
          for fourth in third == nil || isQuick ? [nil] : rest {
            let arguments = [command] + [second, third, fourth].compactMap { $0 }
            guard let plain = PlainCommand(arguments) else { continue }
            taken += 1
            #expect(plain == parsed(arguments), "\(arguments)")
          }
        }
      }
    }
    #expect(taken > (isQuick ? 10 : 100))
  }

  @Test(arguments: [
    ["set", "a=1"], ["set", "a=1", "b=2", "c=3"], ["set", "-"], ["get", "a"], ["list"],
    ["set", "--socket", "/s", "a=1"],
    ["set", "--socket", "/s", "-"], ["set", "--if-running", "a=1"], ["set", "--if-running", "--socket", "/s", "-"],
    ["set", "--socket", "/s", "--if-running", "a=1"], ["get", "--socket", "/s", "a"], ["list", "--socket", "/s"],
  ])
  func `what scripts call in loops is taken past it`(arguments: [String]) {
    #expect(PlainCommand(arguments) != nil)
  }

  @Test(arguments: [
    [], ["set"], ["get"], ["get", "a", "b"], ["list", "a"], ["set", "-", "a=1"], ["set", "a=1", "--socket", "/s"],
    ["get", "--json", "a"], ["list", "--json"], ["set", "--help"], ["get", "-h"], ["set", "--socket", "-x", "a=1"],
    ["set", "--socket", "/s"], ["--version"], ["status"], ["set", "--stdin", "a"], ["set", "--if-running"],
    ["get", "--if-running", "a"], ["list", "--if-running"],
  ])
  func `all else is left to it`(arguments: [String]) {
    #expect(PlainCommand(arguments) == nil)
  }
}
