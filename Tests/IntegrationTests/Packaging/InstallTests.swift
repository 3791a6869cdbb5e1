import Foundation
import Testing

/// `make install` and `make uninstall`, as a user runs them.
struct InstallTests {
  private func make(_ home: Home, _ arguments: String..., built: String = Home.soundd) throws -> Program {
    // Neither needs a compiler.
    let program = try home.start(
      program: "make", ["--no-print-directory", "-C", Home.checkout, "BUILT=\(built)"] + arguments,
      environment: ["PATH": "/usr/bin:/bin"])
    try program.wait()
    return program
  }

  /// The files below a folder, without the folders.
  private func files(below folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  @Test(arguments: [
    (prefix: "/opt/so|und&d", destination: "/stage", root: "/stage/opt/so|und&d", program: "/opt/so|und&d/bin/soundd"),
    ("~/.local", "", "/.local", "HOME/.local/bin/soundd"), ("~/.local/", "", "/.local", "HOME/.local/bin/soundd"),
    ("~", "", "", "HOME/bin/soundd"),
  ])
  func `what is installed works wherever it is`(
    prefix: String, destination: String, root: String, program: String
  )
    throws
  {
    let home = try Home()
    var place = ["PREFIX=\(prefix)"]
    if !destination.isEmpty { place.append("DESTDIR=\(home.path)\(destination)") }
    let installing = try make(home, "install", place[0], place.last ?? "")
    #expect(try installing.wait() == .exit(0), "\(installing.errors)")

    let root = home.path + root
    let checking = try home.start(
      program: "\(root)/bin/soundd", ["check", "\(root)/share/soundd/examples/alarm.toml"],
      environment: ["XDG_DATA_HOME": "/nowhere"])
    #expect(try checking.wait() == .exit(0), "\(checking.errors)")

    let units = root + (destination.isEmpty ? "/share" : "/lib") + "/systemd/user"
    let service = try String(contentsOfFile: "\(units)/soundd.service", encoding: .utf8)
    #expect(service.contains("\nExecStart=\(program.replacingOccurrences(of: "HOME", with: home.path)) run\n"))
    #expect(FileManager.default.fileExists(atPath: "\(units)/soundd.socket"))
  }

  @Test func `all examples are installed, and their scripts can be run`() throws {
    let home = try Home()
    #expect(try make(home, "install", "PREFIX=/usr", "DESTDIR=\(home.path)/stage").wait() == .exit(0))
    let examples = try files(below: Home.checkout + "/examples")
      .filter { !$0.hasPrefix("library/") && !$0.hasPrefix("demo/") }
    #expect(try files(below: home("stage/usr/share/soundd/examples")) == examples)
    for example in examples {
      let isProgram = [home("stage/usr/share/soundd/examples"), Home.checkout + "/examples"].map { folder in
        FileManager.default.isExecutableFile(atPath: "\(folder)/\(example)")
      }
      #expect(isProgram[0] == isProgram[1], "\(example)")
      // The commands in its comments work in any folder.
      let text = try String(contentsOfFile: home("stage/usr/share/soundd/examples/\(example)"), encoding: .utf8)
      #expect(!text.contains(" examples/"), "\(example)")
      if example.hasSuffix("/config.toml") {
        #expect(text.contains("\n# soundd add ") || example == "first.toml")
      }
    }
  }

  @Test func `manual pages, completions and the schema are installed where other programs look for them`() throws {
    let home = try Home()
    #expect(try make(home, "install", "PREFIX=/usr", "DESTDIR=\(home.path)/stage").wait() == .exit(0))
    for (file, source) in [
      ("man/man1/soundd.1", "docs/man/soundd.1"), ("man/man5/soundd.toml.5", "docs/man/soundd.toml.5"),
      ("man/man7/soundd-socket.7", "docs/man/soundd-socket.7"),
      ("bash-completion/completions/soundd", "completions/soundd.bash"),
      ("zsh/site-functions/_soundd", "completions/_soundd"),
      ("fish/vendor_completions.d/soundd.fish", "completions/soundd.fish"),
      ("soundd/config.schema.json", "docs/config.schema.json"),
    ] {
      let source = "\(Home.checkout)/\(source)"
      #expect(FileManager.default.contentsEqual(atPath: home("stage/usr/share/\(file)"), andPath: source), "\(file)")
    }
  }

  @Test func `what is uninstalled leaves only what the user has put there`() throws {
    let home = try Home()
    #expect(try make(home, "install", "PREFIX=~/.local").wait() == .exit(0))
    #expect(try files(below: home(".local")).count > 30)
    try home.write(".local/share/soundd/sounds/mine.wav", "")
    #expect(try make(home, "uninstall", "PREFIX=~/.local").wait() == .exit(0))
    #expect(try files(below: home(".local")) == ["share/soundd/sounds/mine.wav"])
    #expect(!FileManager.default.fileExists(atPath: home(".local/share/soundd/examples")))
  }

  @Test(arguments: ["local", "./local", "~someone/local", "/opt/my sound", "/opt/my\tsound", "/opt/100%", #"/opt/"s""#])
  func `a prefix that cannot be used is refused`(prefix: String) throws {
    let home = try Home()
    let installing = try make(home, "install", "PREFIX=\(prefix)", "DESTDIR=\(home.path)/stage")
    #expect(try installing.wait() == .exit(2))
    #expect(installing.errors.hasPrefix("PREFIX=\(prefix) must "), "\(installing.errors)")
    #expect(!FileManager.default.fileExists(atPath: home("stage")))
  }

  @Test func `nothing is installed if nothing was built`() throws {
    let home = try Home()
    let installing = try make(home, "install", "PREFIX=~/.local", built: "/nowhere/soundd")
    #expect(try installing.wait() == .exit(2))
    #expect(installing.errors.contains("/nowhere/soundd is missing: run 'make release' first"))
    #expect(!FileManager.default.fileExists(atPath: home(".local")))
  }
}
