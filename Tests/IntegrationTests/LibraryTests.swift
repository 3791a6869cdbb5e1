import Foundation
import TestSupport
import Testing

/// The libraries that are opened late: what needs none starts without them, and what misses one says how to get it.
struct LibraryTests {
  private let home: Home

  init() throws { home = try Home() }

  /// Runs `soundd` where a library is found that is none: an empty file.
  private func run(without library: String, _ arguments: String...) throws -> Program {
    try home.write("broken/\(library)", "")
    let path = [home("broken"), home.environment["LD_LIBRARY_PATH"]].compactMap { $0 }.joined(separator: ":")
    return try home.start(arguments, environment: ["LD_LIBRARY_PATH": path])
  }

  @Test func `the program is linked with none of them`() throws {
    let program = try home.start(["--version"], through: ["env", "LD_TRACE_LOADED_OBJECTS=1"])
    #expect(try program.wait() == .exit(0))
    #expect(program.text.contains("libc.so.6"))
    for library in ["libasound", "libsndfile", "libsoxr", "libpcre2"] {
      #expect(!program.text.contains(library), "\(program.text)")
    }
  }

  @Test(arguments: [("libsndfile.so.1", "libsndfile1"), ("libsoxr.so.0", "libsoxr0")])
  func `a sound that cannot be loaded without a library says which package has it`(
    library: String, package: String
  ) throws {
    let samples = [Int16](repeating: 1000, count: 200)
    let sound = try home.write("bell.wav", WAVBuilder.int16(samples, channels: 2, rate: 44_100))
    try home.write("config/soundd/config.toml", "[[trigger]]\nvalue = \"a\"\nsound = \"\(sound)\"\n")
    let program = try run(without: library, "check")
    #expect(try program.wait() == .exit(78), "\(program.errors)")
    #expect(program.errors.contains("config.toml:3:9: trigger 'a': cannot"))
    #expect(program.errors.contains("\(library): "))
    #expect(program.errors.contains("(sudo apt install \(package))"))
  }

  @Test func `without ALSA the daemon plays by the clock, and the doctor says how to get it`() throws {
    try home.write("config/soundd/config.toml", "[output]\ndevice = \"default\"\n")
    let program = try run(without: "libasound.so.2", "doctor")
    #expect(try program.wait() == .exit(69), "\(program.text)\(program.errors)")
    #expect(program.text.contains("problem  device         cannot play on 'default': "), "\(program.text)")
    #expect(program.text.contains("libasound.so.2: "))
    #expect(program.text.contains("→ sudo apt install libasound2\n"))
  }
}
