import Foundation
import TestSupport
import Testing

/// Sounds under a running daemon: files that change, break, heal and move; sounds that take long to load.
struct SoundFileTests {
  private static let configuration = """
    [[trigger]]
    value = "a"
    sound = "bell"
    """

  private let home: Home
  private let daemon: Program

  /// A daemon on a `file` device, with one trigger whose sound has samples of 1000.
  init() throws {
    home = try Home()
    try home.write("config/soundd/sounds/bell.wav", Self.level(1000))
    daemon = try home.daemon(
      Self.configuration, "--device", "file:\(home("out.raw")),raw", "--log-level", "info")
    #expect(try home.run("set", "a=0").wait() == .exit(0))
  }

  /// A sound of 100 frames whose samples are all the same.
  private static func level(_ sample: Int16) -> [UInt8] {
    WAVBuilder.int16(Array(repeating: sample, count: 200), channels: 2, rate: 48_000)
  }

  /// The levels that were heard, each as often as it followed another one or a silence.
  private func heard() throws -> [Int] {
    var levels: [Int] = []
    var last = 0
    for sample in try Recording(raw: home("out.raw")).samples {
      let level = Int((sample * 32_768).rounded())
      if level != last, level != 0 { levels.append(level) }
      last = level
    }
    return levels
  }

  /// Changes the value and returns the level that is heard then.
  private func play(_ value: String) throws -> Int? {
    let before = try heard()
    #expect(try home.run("set", "a=\(value)").wait() == .exit(0))
    var after: [Int] = []
    // The file begins anew if the device was closed, because nothing sounded for a while.
    try eventually("something is heard") {
      after = try heard()
      return !after.isEmpty && after != before
    }
    return after.last
  }

  private func state() throws -> String? { try home.trigger("a")["state"] as? String }

  /// Writes into an existing file, as some editors do.
  private func overwrite(_ name: String, _ bytes: [UInt8]) throws {
    let handle = try #require(FileHandle(forWritingAtPath: home(name)))
    try handle.truncate(atOffset: 0)
    handle.write(Data(bytes))
    try handle.close()
  }

  private func replace(_ name: String, _ bytes: [UInt8]) throws {
    try home.write(name + ".new", bytes)
    #expect(rename(home(name + ".new"), home(name)) == 0)
  }

  @Test(arguments: [false, true])
  func `a sound whose file is replaced or overwritten is heard anew`(isInPlace: Bool) throws {
    #expect(try play("1") == 1000)
    let file = "config/soundd/sounds/bell.wav"
    if isInPlace { try overwrite(file, Self.level(2000)) } else { try replace(file, Self.level(2000)) }
    try daemon.waitForErrors("the sound 'bell' has changed and was loaded again")
    #expect(try play("2") == 2000)
    #expect(try state() != "broken")
  }

  @Test func `a sound that breaks is reported with its place, and heals by itself`() throws {
    let file = "config/soundd/sounds/bell.wav"
    try overwrite(file, Array("RIFF? No.".utf8))
    try daemon.waitForErrors("config.toml:3:9: trigger 'a': cannot decode the sound \(home(file))")
    #expect(try state() == "broken")
    #expect((try home.trigger("a")["problem"] as? String)?.contains("cannot decode the sound \(home(file))") == true)
    #expect(try home.run("status").text.contains("\nbroken    a: cannot decode the sound \(home(file))"))
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    try overwrite(file, Self.level(3000))
    try daemon.waitForErrors("config.toml:3:9: trigger 'a': the sound 'bell' can be played again")
    #expect(try state() != "broken")
    #expect(try home.trigger("a")["problem"] is NSNull)
    #expect(try play("2") == 3000)
    // The change while it was broken is not played later.
    #expect(try heard() == [3000])
    #expect(daemon.errors.components(separatedBy: "cannot decode").count == 2)
  }

  @Test func `a sound that is removed breaks its trigger, and one that moves in its place heals it`() throws {
    try FileManager.default.removeItem(atPath: home("config/soundd/sounds/bell.wav"))
    try daemon.waitForErrors("trigger 'a': no sound is called 'bell'")
    #expect(try state() == "broken")
    // The name may have another extension.
    try home.write("bell.aiff", Self.level(4000))
    #expect(rename(home("bell.aiff"), home("config/soundd/sounds/bell.flac")) == 0)
    try daemon.waitForErrors("the sound 'bell' can be played again")
    #expect(try play("1") == 4000)
  }

  @Test func `a sound that is removed and written anew at once never breaks`() throws {
    let file = "config/soundd/sounds/bell.wav"
    try FileManager.default.removeItem(atPath: home(file))
    try home.write(file, Self.level(5000))
    try daemon.waitForErrors("the sound 'bell' has changed and was loaded again")
    #expect(try play("1") == 5000)
    #expect(!daemon.errors.contains("trigger 'a':"))
  }

  @Test func `the whole folder may go and come back`() throws {
    try FileManager.default.removeItem(atPath: home("config/soundd/sounds"))
    try daemon.waitForErrors("trigger 'a': no sound is called 'bell'")
    try home.write("config/soundd/sounds/bell.wav", Self.level(6000))
    try daemon.waitForErrors("the sound 'bell' can be played again")
    #expect(try play("1") == 6000)
  }

  @Test func `a sound that appears in a better folder is preferred, and gives way again`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      "[[trigger]]\nvalue = \"a\"\nsound = \"tick\"\n", "--device", "file:\(home("out.raw")),raw", "--log-level", "info"
    )
    // The folder of the configuration did not exist when the daemon began.
    try home.write("config/soundd/sounds/tick.wav", Self.level(7000))
    try daemon.waitForErrors("the sound 'tick' has changed and was loaded again")
    #expect(try home.run("set", "a=0").wait() == .exit(0))
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    let expected = try Recording(decoding: home("config/soundd/sounds/tick.wav"))
    try eventually("it is heard") { try Recording(raw: home("out.raw")).onset() != nil }
    let heard = try Recording(raw: home("out.raw"))
    let start = try #require(heard.onset())
    #expect(heard.samples[2 * start] == expected.samples[0])
    try FileManager.default.removeItem(atPath: home("config/soundd/sounds/tick.wav"))
    let shipped = try Recording(shipped: "tick")
    var number = 1
    try eventually("the shipped one is back") {
      number += 1
      let before = try Recording(raw: home("out.raw")).frames
      #expect(try home.run("set", "a=\(number)").wait() == .exit(0))
      try eventually("it is heard") { try Recording(raw: home("out.raw")).onset(from: before) != nil }
      let heard = try Recording(raw: home("out.raw"))
      let start = try heard.start(of: shipped, from: before)
      return start >= before && start + shipped.frames <= heard.frames
        && Recording(samples: Array(heard.samples[2 * start..<2 * (start + shipped.frames)])).difference(from: shipped)
          == nil
    }
    #expect(try home.trigger("a")["state"] as? String != "broken")
  }

  @Test func `a symbolic link may be turned to another file, and its target may change`() throws {
    let link = home("config/soundd/sounds/bell.wav")
    try home.write("versions/1/bell.wav", Self.level(100))
    try home.write("versions/2/bell.wav", Self.level(200))
    #expect(symlink(home("versions/1/bell.wav"), link + ".new") == 0)
    #expect(rename(link + ".new", link) == 0)
    try daemon.waitForErrors("the sound 'bell' has changed and was loaded again")
    #expect(try play("1") == 100)
    #expect(symlink(home("versions/2/bell.wav"), link + ".new") == 0)
    #expect(rename(link + ".new", link) == 0)
    try eventually("the other one is loaded") { try play(UUID().uuidString) == 200 }
    try replace("versions/2/bell.wav", Self.level(300))
    try eventually("its new content is loaded") { try play(UUID().uuidString) == 300 }
  }

  @Test func `a sound behind a symbolic link breaks with what that leads to, and heals with it`() throws {
    // A daemon each: the one that has a path watches more.
    let homes = try ["bell", "./sounds/bell.wav"].map { sound in
      let home = try Home()
      try home.write("config/soundd/sounds/beside.wav", Self.level(1))
      try home.write("versions/beside", "")
      #expect(symlink(home("versions/1/bell.wav"), home("config/soundd/sounds/bell.wav")) == 0)
      _ = try home.daemon("[[trigger]]\nvalue = \"a\"\nsound = \"\(sound)\"\n", "--device", "none")
      return home
    }
    func become(_ state: String, by change: (Home) throws -> Void) throws {
      try homes.forEach(change)
      for home in homes {
        try eventually("it is \(state)") { try home.trigger("a")["state"] as? String == state }
      }
    }
    func turn(_ link: String, to target: String) {
      #expect(symlink(target, link + ".new") == 0)
      #expect(rename(link + ".new", link) == 0)
    }
    // From the start there is nothing.
    try become("broken") { _ in }
    try become("ok") { try $0.write("versions/1/bell.wav", Self.level(100)) }
    // It goes and comes back.
    try become("broken") { home in #expect(unlink(home("versions/1/bell.wav")) == 0) }
    try become("ok") { try $0.write("versions/1/bell.wav", Self.level(200)) }
    // So does its folder.
    try become("broken") { try FileManager.default.removeItem(atPath: $0("versions/1")) }
    try become("ok") { try $0.write("versions/1/bell.wav", Self.level(300)) }
    // The link, or one behind it, leads to what comes later.
    try become("broken") { turn($0("config/soundd/sounds/bell.wav"), to: $0("versions/2/bell.wav")) }
    try become("ok") { try $0.write("versions/2/bell.wav", Self.level(400)) }
    try become("broken") { turn($0("versions/2/bell.wav"), to: "later.wav") }
    try become("ok") { try $0.write("versions/2/later.wav", Self.level(500)) }
  }

  @Test func `a link to nothing is watched though another file is found`() throws {
    let link = home("config/soundd/sounds/bell.wav")
    try home.write("config/soundd/sounds/bell.ogg", Self.level(2000))
    #expect(symlink(home("later.wav"), link + ".new") == 0)
    #expect(rename(link + ".new", link) == 0)
    try eventually("the other file is loaded") { try play(UUID().uuidString) == 2000 }
    try home.write("later.wav", Self.level(3000))
    try eventually("what the link leads to is loaded") { try play(UUID().uuidString) == 3000 }
  }

  @Test func `a sound given by its path is loaded again too`() throws {
    let home = try Home()
    try home.write("elsewhere/b.wav", Self.level(1000))
    let daemon = try home.daemon(
      "[[trigger]]\nvalue = \"a\"\nsound = \"../../elsewhere/./b.wav\"\n", "--device", "none", "--log-level", "info")
    try home.write("elsewhere/b.wav.new", Self.level(2000))
    #expect(rename(home("elsewhere/b.wav.new"), home("elsewhere/b.wav")) == 0)
    try daemon.waitForErrors("/elsewhere/b.wav' has changed and was loaded again")
  }

  // MARK: What takes long

  /// 290 s of eight channels at 192 kHz: many seconds of work.
  private func writeHuge() throws -> String {
    let path = home("huge.wav")
    let frames = 290 * 192_000
    var header = WAVBuilder.int16([], channels: 8, rate: 192_000)
    for (offset, size) in [(4, 36 + frames * 16), (40, frames * 16)] {
      for byte in 0..<4 { header[offset + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
    }
    // The samples are a hole in the file: silence that takes no room.
    try Data(header).write(to: URL(fileURLWithPath: path))
    #expect(truncate(path, off_t(header.count + frames * 16)) == 0)
    return path
  }

  @Test func `while a long sound is loaded others are served, and its own client waits`() throws {
    let path = try writeHuge()
    let waiting = try home.connect()
    try waiting.send(line: "play \(path)\na=1\nsync")
    let other = try home.connect()
    let start = Date()
    #expect(try other.ask("sync") == "ok")
    #expect(try heard() == [], "it was to wait for the sound before it")
    let patience = Date().timeIntervalSince(start)
    // Loading takes many seconds; a slow machine may delay the answer, but not as long as that.
    #expect(patience < atMost(1))
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
  }

  @Test func `a sound that is being loaded at the start does not delay the end`() throws {
    let path = try writeHuge()
    try home.write("config/soundd/config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"\(path)\"\n")
    let starting = try home.start(["run", "--device", "none", "--no-socket"], input: .nothing)
    try eventually("the file is open") {
      // The thread that decodes has descriptors of its own.
      let tasks = "/proc/\(starting.pid)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).contains { task in
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(tasks)/\(task)/fd")) ?? []
        return files.contains {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(tasks)/\(task)/fd/\($0)")) == path
        }
      }
    }
    let start = Date()
    starting.send(signal: SIGTERM)
    #expect(try starting.wait() == .exit(0))
    // Far less than loading takes, and than a busy machine needs for 200 ms.
    #expect(Date().timeIntervalSince(start) < atMost(1))
    #expect(!starting.errors.contains("ready"))
  }

  @Test func `a sound that is being loaded does not delay the end`() throws {
    let path = try writeHuge()
    let waiting = try home.connect()
    try waiting.send(line: "play \(path)")
    #expect(try home.connect().ask("sync") == "ok")
    let start = Date()
    daemon.send(signal: SIGTERM)
    #expect(try daemon.wait() == .exit(0))
    #expect(Date().timeIntervalSince(start) < atMost(2))
    #expect(!FileManager.default.fileExists(atPath: home.socket))
  }

  // MARK: Reload

  @Test func `a reload answers when the sounds are loaded, and names those that are broken`() throws {
    try home.write(
      "config/soundd/config.toml",
      Self.configuration + "\n[[trigger]]\nname = \"b\"\nvalue = \"a\"\nsound = \"nosuch\"\n")
    try replace("config/soundd/sounds/bell.wav", Self.level(8000))
    let reload = try home.run("reload")
    #expect(try reload.wait() == .exit(0))
    #expect(reload.errors.hasPrefix("soundd: trigger 'b': no sound is called 'nosuch'"))
    #expect(reload.errors.split(separator: "\n").count == 1)
    #expect(try play("1") == 8000)
    try daemon.waitForErrors("config.toml:7:9: trigger 'b': no sound is called 'nosuch'")
  }

  @Test func `a reload during another one loses no sound, and both are answered when the later one is in use`() throws {
    // At another rate than the device's, so that it takes its time.
    let slow = WAVBuilder.int16(Array(repeating: 5, count: 2 * 44_100 * 40), channels: 2, rate: 44_100)
    for name in ["slow", "slower"] { try home.write("config/soundd/sounds/\(name).wav", slow) }
    let first = Self.configuration + "\n[[trigger]]\nvalue = \"b\"\nsound = \"slow\"\n"
    try home.replace("config/soundd/config.toml", first)
    let one = try home.connect()
    let other = try home.connect()
    try one.send(line: "reload")
    try home.replace("config/soundd/config.toml", first + "[[trigger]]\nvalue = \"c\"\nsound = \"slower\"\n")
    try other.send(line: "reload")
    #expect(try one.line() == "ok")
    #expect(try home.trigger("c")["state"] as? String == "ok")
    #expect(try other.line() == "ok")
    #expect(try home.trigger("b")["state"] as? String == "ok")
  }

  @Test func `a sound that a reload brings is kept up to date, and one that it drops is not missed`() throws {
    try home.write("config/soundd/sounds/gong.wav", Self.level(10))
    try home.write("config/soundd/config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"gong\"\n")
    #expect(try home.run("reload").wait() == .exit(0))
    try FileManager.default.removeItem(atPath: home("config/soundd/sounds/bell.wav"))
    try replace("config/soundd/sounds/gong.wav", Self.level(20))
    try daemon.waitForErrors("the sound 'gong' has changed and was loaded again")
    #expect(try play("1") == 20)
    #expect(!daemon.errors.contains("bell"))
  }

  // MARK: Themes

  @Test func `a theme's sound is heard, explained, silenced and found again`() throws {
    let theme = "data/sounds/mine"
    try home.write(theme + "/index.theme", "[Sound Theme]\nDirectories=stereo\n")
    try home.write(theme + "/stereo/ready.wav", Self.level(2000))
    try home.write(
      "config/soundd/config.toml", "[sounds]\ntheme = \"mine\"\n[[trigger]]\nvalue = \"a\"\nsound = \"ready-set\"\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try home.run("check").wait() == .exit(0))
    #expect(try home.run("set", "a=1").wait() == .exit(0))
    try eventually("it was heard") { try heard() == [2000] }
    let explained = try home.run("explain", "a").text
    #expect(explained.contains("'ready-set' is \(home(theme))/stereo/ready.wav (theme 'mine', shortened to 'ready')"))
    #expect(try home.run("sounds", "--theme", "mine").text.contains("  ready  "))
    try home.write(theme + "/stereo/ready.disabled", "")
    try eventually("the theme wants silence") {
      _ = try home.run("set", "a=\(clock())")
      return try home.run("explain", "a").text.contains("disabled")
    }
    #expect(try home.trigger("a")["problem"] == nil || home.trigger("a")["problem"] is NSNull)
    #expect(try home.run("doctor").text.contains("broken") == false)
    try FileManager.default.removeItem(atPath: home(theme + "/stereo/ready.disabled"))
    try home.write(theme + "/stereo/ready-set.wav", Self.level(3000))
    try eventually("the longer name is found") {
      _ = try home.run("set", "a=\(clock())")
      return try heard().last == 3000
    }
  }
}
