import Foundation
import Testing

struct GitExampleTests {
  private let home: Home

  /// A repository with the hooks that `soundd add git` gives it.
  init() throws {
    home = try Home()
    try home.write(
      ".gitconfig",
      """
      [user]
        name = Somebody
        email = somebody@example.org
      [init]
        defaultBranch = main
      """)
    for arguments in [["init", "-q", "work"], ["init", "-q", "--bare", "server"]] {
      #expect(try git(arguments, in: ".").wait() == .exit(0))
    }
    #expect(try git(["remote", "add", "origin", "../server"]).wait() == .exit(0))
    // Whatever git the machine has: this one runs only hooks of repositories.
    try home.writeProgram(
      "bin/git", "#!/bin/sh\ncase \" $* \" in *\" hook list \"*) exit 129 ;; esac\nexec /usr/bin/git \"$@\"\n")
    try addHooks()
  }

  private func addHooks() throws {
    let add = try home.run(
      "add", "git", "--repository", "work", "--yes", environment: ["PATH": home("bin") + ":/usr/bin:/bin"])
    #expect(try add.wait() == .exit(0), "\(add.errors)")
    // Each test has the configuration of the example itself.
    try FileManager.default.removeItem(atPath: home("config"))
  }

  private func git(_ arguments: [String], in folder: String = "work") throws -> Program {
    let program = try home.start(
      program: "git", ["-C", home(folder)] + arguments, environment: try home.scriptEnvironment())
    try program.wait()
    return program
  }

  private func commit(_ message: String) throws -> Program {
    try git(["commit", "-q", "--allow-empty", "-m", message])
  }

  @Test func `a commit, a push and a merge are heard`() throws {
    let daemon = try home.daemon(example: "git/config.toml")
    #expect(try commit("one").wait() == .exit(0))
    try home.expect("commit", ["post-commit played"])
    #expect(try git(["push", "-q", "origin", "HEAD:main"]).wait() == .exit(0))
    try home.expect("merge-or-push", ["post-commit no_sound", "pre-push played"])
    #expect(try git(["merge", "-q", "HEAD"]).wait() == .exit(0))
    #expect(try git(["checkout", "-q", "-b", "side"]).wait() == .exit(0))
    try home.write("work/file", "text")
    #expect(try git(["add", "file"]).wait() == .exit(0))
    #expect(try git(["commit", "-q", "-m", "two"]).wait() == .exit(0))
    #expect(try git(["checkout", "-q", "main"]).wait() == .exit(0))
    #expect(try git(["merge", "-q", "side"]).wait() == .exit(0))
    try eventually("the merge is heard") { try home.verdicts("merge-or-push").last == "post-merge played" }
    #expect(try home.decided("merge-or-push") == 2)
    withExtendedLifetime(daemon) {}
  }

  @Test func `without a daemon, without soundd, and with one that hangs git does what it always does`() throws {
    #expect(try commit("nobody listens").errors == "")
    #expect(mkfifo(home("gate"), 0o600) == 0)
    try home.writeProgram("bin/soundd", "#!/bin/sh\ncd '\(home.path)'\n: >begun\nread -r _ <gate\n: >ended\n")
    let hanging = try commit("it hangs")
    #expect(try hanging.wait() == .exit(0))
    #expect(hanging.text + hanging.errors == "")
    try eventually("it was called") { FileManager.default.fileExists(atPath: home("begun")) }
    #expect(!FileManager.default.fileExists(atPath: home("ended")))
    try openPipe(home("gate")).close()
    try eventually("it goes on") { FileManager.default.fileExists(atPath: home("ended")) }
    try home.writeProgram("bin/soundd", "#!/nowhere/at/all\n")
    #expect(try commit("it is not installed").errors == "")
    #expect(try git(["rev-list", "--count", "HEAD"]).text == "3\n")
  }

  @Test func `the repository's own hooks run first, and decide`() throws {
    try home.writeProgram("work/.git/hooks/pre-push", "#!/bin/sh\necho \"own $*\" >&2\ncat >&2\n")
    try addHooks()
    #expect(try commit("one").wait() == .exit(0))
    let push = try git(["push", "-q", "origin", "HEAD:main"])
    #expect(try push.wait() == .exit(0))
    #expect(push.errors.hasPrefix("own origin ../server\nHEAD "))
    let daemon = try home.daemon(example: "git/config.toml")
    try home.writeProgram("work/.git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    #expect(try commit("refused").wait() == .exit(1))
    withExtendedLifetime(daemon) {}
  }

  @Test func `as a setting of a new git, the hook gets its event as an argument`() throws {
    let daemon = try home.daemon(example: "git/config.toml")
    let script = try home.install("git/soundd-hook", at: "hooks/soundd-hook")
    // As git runs it: with the arguments of the hook behind those of the setting.
    let run = try home.start(
      program: "/bin/sh", ["-c", "'\(script)' post-merge 0"], environment: try home.scriptEnvironment())
    #expect(try run.wait() == .exit(0))
    try home.expect("merge-or-push", ["post-merge played"])
    withExtendedLifetime(daemon) {}
  }
}
