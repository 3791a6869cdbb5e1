import Foundation
import Testing

/// Long commands in real shells with a terminal. Nothing waits: a command sets the shell's clock forward.
struct ShellExampleTests {
  private let home: Home

  init() throws {
    home = try Home()
    // No greeting, no questions of a first start.
    try home.write("config/fish/config.fish", "set -g fish_greeting\n")
    try home.write(".hushlogin", "")
  }

  /// A shell in a terminal that script(1) of util-linux makes.
  private func start(_ shell: String) throws -> Program {
    try home.start(
      program: "script", ["-qec", shell, "/dev/null"], input: .pipe,
      environment: try home.scriptEnvironment().merging(["TERM": "dumb", "PS1": "$ "]) { $1 })
  }

  /// Types lines and the end, and waits for it.
  private func type(_ lines: [String], into shell: String) throws -> String {
    let program = try start(shell)
    program.write(lines.joined(separator: "\n") + "\nexit 0\n")
    #expect(try program.wait() == .exit(0), "\(program.text)")
    return program.text
  }

  /// A command that takes eleven seconds by the clock of bash or zsh.
  private static let long = "SECONDS=$((SECONDS+11))"

  /// bash and zsh with the example loaded after a prompt function of the user's own.
  private func shells() throws -> [(name: String, command: String)] {
    let bash = try home.install("shell/soundd.bash", at: "soundd.bash")
    let zsh = try home.install("shell/soundd.zsh", at: "soundd.zsh")
    try home.write(
      ".bashrc",
      """
      PROMPT_COMMAND=' echo "own prompt $?" ; '
      PS0='running '
      . \(bash)
      . \(bash)

      """)
    try home.write(
      ".zshrc",
      """
      setopt ksh_arrays no_unset
      precmd() { echo "own prompt $?" }
      . \(zsh)
      . \(zsh)

      """)
    return [("bash", "bash --noprofile --rcfile \(home(".bashrc")) -i"), ("zsh", "zsh -i")]
  }

  @Test func `bash and zsh report how long commands have ended, and no others`() throws {
    for shell in try shells() {
      let daemon = try home.daemon(example: "shell/config.toml")
      let make = "make() { \(Self.long); return \"$1\"; }"
      let text = try type([make, "false", "make 2", "", "make 130", "make 148", "true"], into: shell.command)
      try home.expect("shell", ["failed played"])
      // What runs at each prompt still sees how the command has ended.
      for code in [0, 1, 2, 130, 148] { #expect(text.contains("own prompt \(code)\r\n"), "\(shell.name)") }
      #expect(text.contains("running ") == (shell.name == "bash"))
      _ = try type([make, "make 0", "SOUNDD_SECONDS=12", "make 1"], into: shell.command)
      try home.expect("shell", ["failed played", "passed played"])
      daemon.send(signal: SIGTERM)
      try daemon.wait()
    }
  }

  @Test func `only the program's name is sent, whatever the line contains`() throws {
    try home.writeProgram("bin/tool", "#!/bin/sh\n")
    for shell in try shells() {
      try home.writeProgram("bin/soundd", "#!/bin/sh\nprintf '%s|' \"$@\" >>\"$HOME/calls\"\n")
      let lines = [
        "tool --password=secret; \(Self.long)", "\(home("bin"))/tool \"a: b\" $'\\xff\\n'; \(Self.long)",
        "'to'ol; \(Self.long)", "for word in a b; do \(Self.long); done", "X='secret word' tool; \(Self.long)",
        "tool 'secret", "two lines'; \(Self.long)",
      ]
      _ = try type(lines, into: shell.command)
      let program = "set|--if-running|shell=passed "
      let names = ["tool", "tool", "?", "for", "?", "tool"]
      try eventually("all are reported") {
        let calls = (try? String(contentsOfFile: home("calls"), encoding: .utf8)) ?? ""
        return calls.components(separatedBy: program).count == names.count + 1
      }
      let calls = try String(contentsOfFile: home("calls"), encoding: .utf8).components(separatedBy: program)
      #expect(calls.dropFirst().sorted() == names.map { $0 + "|" }.sorted(), "\(shell.name)")
      try FileManager.default.removeItem(atPath: home("calls"))
    }
  }

  @Test func `nothing in the environment runs as a command, and a strange limit is the usual one`() throws {
    for shell in try shells() {
      let daemon = try home.daemon(example: "shell/config.toml")
      let trap = "a[$(touch \(home("trapped")))]"
      let program = try home.start(
        program: "script", ["-qec", shell.command, "/dev/null"], input: .pipe,
        environment: try home.scriptEnvironment().merging(
          ["TERM": "dumb", "PS1": "$ ", "SOUNDD_SECONDS": trap, "soundd_start": trap]) { $1 })
      program.write("make() { \(Self.long); }\nmake\nexit 0\n")
      #expect(try program.wait() == .exit(0), "\(program.text)")
      try home.expect("shell", ["passed played"])
      #expect(!FileManager.default.fileExists(atPath: home("trapped")), "\(shell.name)")
      daemon.send(signal: SIGTERM)
      try daemon.wait()
    }
  }

  @Test func `fish reports them by the duration that it measures`() throws {
    try home.install("shell/soundd.fish", at: "config/fish/conf.d/soundd.fish")
    try home.writeProgram("bin/make", "#!/bin/sh\nexit \"$1\"\n")
    let daemon = try home.daemon(example: "shell/config.toml")
    let shell = try start("fish -i")
    // The new limit already holds for the command that sets it.
    shell.write("set -g SOUNDD_SECONDS 0\n")
    try home.expect("shell", ["passed played"])
    shell.write("\n\(home("bin"))/make 3\n")
    try home.expect("shell", ["passed played", "failed played"])
    shell.write("make 130\nmake 148\nset -g SOUNDD_SECONDS 10\nmake 4\nexit 0\n")
    #expect(try shell.wait() == .exit(0))
    #expect(try home.verdicts("shell").count == 2)
    withExtendedLifetime(daemon) {}
  }

  @Test func `without a daemon, and with a soundd that hangs, the prompt comes at once and says nothing`() throws {
    for shell in try shells() {
      #expect(try type([Self.long], into: shell.command).contains("soundd") == false, "\(shell.name)")
    }
    #expect(mkfifo(home("gate"), 0o600) == 0)
    try home.writeProgram("bin/soundd", "#!/bin/sh\n: >>\"$HOME/begun\"\nread -r _ <\"$HOME/gate\"\n")
    for shell in try shells() {
      let text = try type([Self.long, "echo next-$((1+1))"], into: shell.command)
      #expect(text.contains("next-2"))
      try eventually("it was called") { FileManager.default.fileExists(atPath: home("begun")) }
      try openPipe(home("gate")).close()
      try FileManager.default.removeItem(atPath: home("begun"))
    }
  }

  @Test func `programs that people work in are silent, each other result has its sound`() throws {
    let plays = try home.render(
      example: "shell/config.toml",
      "0 shell=passed make\n1 shell=failed make\n2 shell=failed make\n3 shell=passed vim\n4 shell=failed less\n"
        + "5 shell=passed vimdiff\n6 shell=passed ?\n7 shell=other make\n")
    #expect(
      plays == [
        "0 shell plays path-complete", "1 shell plays error", "2 shell plays error", "5 shell plays path-complete",
        "6 shell plays path-complete",
      ])
  }
}
