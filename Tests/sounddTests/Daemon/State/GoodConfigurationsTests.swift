import Glibc
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// The copies of good configurations, and the start with one of them.
struct GoodConfigurationsTests {
  private let folder = TemporaryFolder()
  private let now = Timestamp(seconds: 1_790_000_000)
  private var copies: GoodConfigurations { GoodConfigurations(in: folder("state")) }
  private var file: String { folder("config/config.toml") }

  private static let good = "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n"
  private static let bad = "[[trigger]]\nvalue = \"a\"\nsonud = \"tick\"\n"

  init() {
    mkdir(folder("config"), 0o700)
    mkdir(folder("config/config.d"), 0o700)
    mkdir(folder("other"), 0o700)
  }

  private func write(_ text: String, _ path: String, mode: mode_t = 0o600) throws {
    try StateFile(path: path).write(Array(text.utf8), mode: mode)
  }

  private func start(_ paths: [String]? = nil, isRequired: Bool = false) throws(Failure) -> StartingConfiguration {
    try StartingConfiguration(
      paths ?? [file], isRequired: isRequired, copies: copies,
      environment: SystemEnvironment(variables: ["HOME": folder("home")], workingDirectory: folder("config")))
  }

  private func keep() throws { try copies.keep(ConfigurationFile.text(file), of: file, at: now) }

  private var names: [String] { Folder.names(in: folder("state/good")) ?? [] }

  @Test(arguments: ["", "\u{FEFF}a = 1\r\n", "x = \"\\u0000 é \u{1F600}\"\n# \u{7F}\n"])
  func `a copy has every byte of the main file and of its parts, and who else may write them`(text: String) throws {
    try write(text, file)
    try write("b = 2", folder("config/config.d/10-é\n.toml"))
    try write("", folder("config/config.d/20.toml"), mode: 0o666)
    let original = try ConfigurationFile.text(file)
    #expect(original.writers.count == 1)
    try copies.keep(original, of: file, at: now)
    let copy = try #require(try copies.copy(of: file, as: file))
    #expect(copy.text == original)
    #expect(copy.keptAt == now)
    var status = stat()
    #expect(stat(folder("state/good/\(names[0])"), &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `its places name the file as the user does now`() throws {
    try write(Self.good, file)
    try write("", folder("config/config.d/a.toml"))
    try keep()
    let copy = try #require(try copies.copy(of: file, as: "config.toml"))
    #expect(copy.text.file == "config.toml")
    #expect(copy.text.parts.map(\.file) == ["config.d/a.toml"])
  }

  @Test func `each path has a copy of its own, and one that is unchanged is not written again`() throws {
    for path in [file, folder("other/config.toml")] {
      try write("# \(path)\n", path)
      try copies.keep(ConfigurationFile.text(path), of: path, at: now)
    }
    #expect(names.count == 2)
    #expect(try copies.copy(of: file, as: file)?.text.bytes == Array("# \(file)\n".utf8))
    #expect(try copies.copy(of: folder("config.toml"), as: "x") == nil)
    try copies.keep(ConfigurationFile.text(file), of: file, at: Timestamp(seconds: 1_800_000_000))
    #expect(try copies.copy(of: file, as: file)?.keptAt == now)
  }

  @Test func `of many configurations the one is forgotten that was used longest ago`() throws {
    try write("", file)
    let text = try ConfigurationFile.text(file)
    for index in 0..<GoodConfigurations.most {
      try copies.keep(text, of: "/\(index)", at: now)
    }
    let old = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    for name in names { utimensat(AT_FDCWD, folder("state/good/\(name)"), [old, old], 0) }
    // The first one is used again.
    try copies.keep(text, of: "/0", at: now)
    try copies.keep(text, of: "/new", at: now)
    #expect(names.count == GoodConfigurations.most)
    #expect(try copies.copy(of: "/0", as: "/0") != nil)
    #expect(try copies.copy(of: "/new", as: "/new") != nil)
  }

  @Test func `a copy that is damaged, or that others could have written, is not used`() throws {
    try write(Self.good, file)
    try keep()
    let place = folder("state/good/\(names[0])")
    chmod(place, 0o666)
    #expect(throws: Failure(.refused, "others may write to \(place): chmod go-w \(place)")) {
      try copies.copy(of: file, as: file)
    }
    chmod(place, 0o600)
    truncate(place, 100)
    #expect(throws: Failure(.badData, "\(place) is damaged (its checksum is wrong)")) {
      try copies.copy(of: file, as: file)
    }
    try write(Self.bad, file)
    let start = try start()
    #expect(start.text == nil)
    #expect(
      start.bad?.description(at: now)
        == "\(file) has errors, and the last good one cannot be used (\(place) is damaged (its checksum is wrong)): soundd plays "
        + "nothing by itself until the file is good")
  }

  // MARK: Starting

  @Test func `a good file is used as it is, and a missing one is not bad, whatever copy there is`() throws {
    try write(Self.good, file)
    try keep()
    let good = try start()
    #expect(good.text?.bytes == Array(Self.good.utf8))
    #expect(good.bad == nil)
    unlink(file)
    let missing = try start()
    #expect(missing.text == nil)
    #expect(missing.bad == nil)
    #expect(throws: Failure(.noInput, "cannot read \(file): No such file or directory")) { try start(isRequired: true) }
  }

  @Test(arguments: [false, true])
  func `with a bad file the last good one is used`(isRequired: Bool) throws {
    try write(Self.good, file)
    try keep()
    try write(Self.bad, file)
    let start = try start(isRequired: isRequired)
    #expect(start.text?.bytes == Array(Self.good.utf8))
    #expect(start.configuration.triggers.map(\.definition.name) == ["a"])
    #expect(start.bad?.text?.bytes == Array(Self.bad.utf8))
    #expect(start.bad?.failure.code == .configuration)
    #expect(start.bad?.copyKeptAt == now)
  }

  @Test func `so it is if the file or a part cannot be read`() throws {
    try write(Self.good, file)
    try keep()
    mkdir(folder("config/config.d/part.toml"), 0o700)
    #expect(try start().bad?.copyKeptAt == now)
    rmdir(folder("config/config.d/part.toml"))
    unlink(file)
    mkdir(file, 0o700)
    let start = try start(isRequired: true)
    #expect(start.text?.bytes == Array(Self.good.utf8))
    #expect(start.bad?.text == nil)
    #expect(
      start.bad?.description(at: now).hasPrefix("\(file) cannot be read: soundd runs with the last good ") == true)
  }

  @Test func `without a copy soundd waits, unless the user has named the file`() throws {
    try write(Self.bad, file)
    let start = try start([folder("other/config.toml"), file])
    #expect(start.text == nil)
    #expect(start.configuration == Configuration())
    #expect(
      start.bad?.description(at: now)
        == "\(file) has errors, and no earlier good one is known: soundd plays nothing by itself until the file is good"
    )
    do throws(Failure) {
      _ = try self.start(isRequired: true)
      Issue.record("it starts")
    } catch {
      #expect(error.code == .configuration)
      #expect(error.description.hasPrefix("\(file):3:1: trigger[1].sonud: "))
    }
  }

  @Test func `a copy that this version refuses is named, and not used`() throws {
    try write(Self.bad, file)
    try keep()
    let start = try start()
    #expect(start.text == nil)
    #expect(start.bad?.copyFailure?.code == .configuration)
  }

  @Test func `what a part may not run because others could write it, it may not run as a copy`() throws {
    try write(Self.good, file)
    let part = folder("config/config.d/part.toml")
    try write(
      "[value.v]\ncommand = [\"true\"]\nevery = \"1 s\"\n[[trigger]]\nvalue = \"v\"\nsound = \"tick\"\n", part,
      mode: 0o666)
    try keep()
    chmod(part, 0o600)
    try write(Self.bad, file)
    let start = try start()
    #expect(start.bad?.copyKeptAt == now)
    guard case .command(let command)? = start.configuration.values.first?.source else {
      Issue.record("no command")
      return
    }
    #expect(command.obstacle?.contains("others may write to \(part)") == true)
  }
}
