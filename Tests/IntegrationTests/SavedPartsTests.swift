import Foundation
import Testing

/// The daemon and the commands follow the parts of a configuration in `config.d`.
struct SavedPartsTests {
  private let home: Home
  private let folder = "config/soundd/config.d"

  init() throws { home = try Home() }

  private func trigger(_ name: String) -> String {
    "[[trigger]]\nname = \"\(name)\"\nvalue = \"x\(name)\"\nsound = \"tick\"\n"
  }

  private func wait(for names: String...) throws {
    try eventually("the triggers are \(names)") {
      (try home.status()["triggers"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String } == names
    }
  }

  @Test func `a part that comes, changes or goes is a reload, with and without a file beside it`() throws {
    let daemon = try home.start("run", "--device", "none")
    try daemon.waitForErrors("soundd: ready: ")
    try home.write("\(folder)/b.toml", trigger("b"))
    try wait(for: "b")
    try home.replace("\(folder)/a.toml", trigger("a"))
    try wait(for: "a", "b")
    try home.write("config/soundd/config.toml", trigger("c"))
    try wait(for: "c", "a", "b")
    try home.write("\(folder)/a.toml", trigger("a2"))
    try wait(for: "c", "a2", "b")
    try FileManager.default.removeItem(atPath: home("\(folder)/b.toml"))
    try wait(for: "c", "a2")
    // A link to a file elsewhere is followed.
    try home.write("elsewhere.toml", trigger("far"))
    try FileManager.default.createSymbolicLink(
      atPath: home("\(folder)/z.toml"), withDestinationPath: home("elsewhere.toml"))
    try wait(for: "c", "a2", "far")
    try home.write("elsewhere.toml", trigger("farther"))
    try wait(for: "c", "a2", "farther")
    try FileManager.default.removeItem(atPath: home("config/soundd/config.toml"))
    try wait(for: "a2", "farther")
    // Whoever removes the last part means it.
    try FileManager.default.removeItem(atPath: home(folder))
    try eventually("no trigger is left") { try (home.status()["triggers"] as? [Any])?.isEmpty == true }
  }

  @Test func `a bad part changes nothing, and everybody names its file and line`() throws {
    let daemon = try home.daemon(trigger("c"), "--device", "none")
    try home.write("\(folder)/a.toml", "\nnonsense")
    let error = "\(home("\(folder)/a.toml")):2:9: expected '=' after the key, found the end of the file"
    try daemon.waitForErrors("soundd: \(error)\n")
    try wait(for: "c")
    #expect(try home.warnings() == ["not reloaded: \(error)"])
    for command in ["check", "render", "doctor"] {
      let program = try home.run([command] + (command == "render" ? ["-"] : []), input: .text(""))
      #expect((program.errors + program.text).contains(error), "\(command): \(program.errors)\(program.text)")
      if command != "doctor" { #expect(try program.wait() == .exit(78)) }
    }
    #expect(try home.run("reload").wait() == .exit(77))
    try home.write("\(folder)/a.toml", trigger("a"))
    try wait(for: "c", "a")
    #expect(try home.warnings() == [])
  }

  @Test func `the parts beside --config count, and a missing --config stays an error`() throws {
    try home.write("other/config.d/a.toml", trigger("a"))
    for arguments in [["check", "--config"], ["run", "--device", "none", "--config"]] {
      let program = try home.run(arguments + ["other/mine.toml"])
      #expect(try program.wait() == .exit(66))
      #expect(program.errors.contains("cannot read other/mine.toml: No such file or directory"))
    }
    try home.write("other/mine.toml", trigger("a"))
    let program = try home.run("check", "--config", "other/mine.toml")
    #expect(try program.wait() == .exit(78))
    #expect(
      program.errors.hasPrefix("soundd: other/config.d/a.toml:2:8: trigger[2].name: 'a' is already the name of the "))
    #expect(program.errors.contains("at line 2 of other/mine.toml"))
  }
}
