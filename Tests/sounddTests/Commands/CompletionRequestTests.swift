import Testing

@testable import soundd

/// What fits at the cursor, by the words before it.
struct CompletionRequestTests {
  private static let syntax = Result { try CommandSyntax.all() }

  private func request(_ words: String...) throws -> CompletionRequest {
    CompletionRequest(words, try Self.syntax.get())
  }

  @Test(arguments: [
    ([""], CompletionRequest.Subject.commands), (["se"], .commands), (["-"], .options), (["get", ""], .values),
    (["get", "a", ""], .nothing), (["events", "a", ""], .values), (["set", "a=1", "b"], .assignments),
    (["set", "--socket", ""], .files([])), (["set", "--socket", "s", ""], .assignments), (["stop", ""], .triggers),
    (["explain", "--json", ""], .triggers), (["add", "mail", ""], .recipes), (["remove", ""], .installedRecipes),
    (["add", "git", "--repository", ""], .files([])),
    (["play", "--", "-"], .sounds), (["check", ""], .files(["toml"])),
    (["run", "--config", ""], .files(["toml"])), (["volume", "-6"], .words(["up", "down"])),
    (["watch", "x", "--overlap", ""], .words(["mix", "restart", "ignore", "queue"])), (["nothing", ""], .nothing),
    (["ack", ""], .alarms(true)), (["unsnooze", "a", ""], .snoozedAlarms),
    (["help", ""], .commands), (["list", ""], .nothing), (["list", "--"], .options), ([], .commands),
  ])
  func `a place on the command line has its subject`(words: [String], subject: CompletionRequest.Subject) throws {
    #expect(CompletionRequest(words, try Self.syntax.get()).subject == subject)
  }

  @Test func `the value of an option may stand in the same word`() throws {
    let request = try request("run", "--config=a")
    #expect(request.subject == .files(["toml"]))
    #expect(request.prefix == "--config=")
    #expect(request.word == "a")
  }

  @Test func `an option is offered until it is given`() throws {
    let open = try request("get", "--json", "-").openOptions.flatMap(\.names)
    #expect(open.contains("--socket"))
    #expect(!open.contains("--json"))
  }

  @Test func `the daemon is the one that the line names`() throws {
    #expect(try request("get", "--socket", "/a", "").options["--socket"] == "/a")
    #expect(try request("get", "--socket=/b", "").options["--socket"] == "/b")
  }
}
