import Foundation
import Testing

/// What `make` says before it builds anything, and when `make bench` fails.
struct MakefileTests {
  private let home: Home

  init() throws {
    home = try Home()
    try FileManager.default.copyItem(atPath: Home.checkout + "/Makefile", toPath: home("Makefile"))
  }

  /// Checks a toolchain whose `swift` is this script.
  private func checkToolchain(_ script: String) throws -> Program {
    try home.writeProgram("bin/swift", "#!/bin/sh\n\(script)\n")
    let program = try home.start(program: "make", ["toolchain", "SWIFT=\(home("bin/swift"))"])
    try program.wait()
    return program
  }

  private static let current = "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'"

  @Test(arguments: [
    current, "echo 'swift-driver version: 1.127 Apple Swift version 6.10'", "echo loading >&2; \(current)",
  ])
  func `a Swift that is new enough is silent`(script: String) throws {
    let program = try checkToolchain(script)
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    #expect(program.text + program.errors == "")
  }

  @Test func `a Swift that is too old is named, and where to get another`() throws {
    let program = try checkToolchain("echo 'Swift version 6.2 (swift-6.2-RELEASE)'")
    #expect(try program.wait() == .exit(2))
    #expect(
      program.errors.hasPrefix(
        "soundd is built with Swift 6.3 or newer; here is 6.2 (\(home("bin/swift"))).\nGet it from https:"))
  }

  @Test func `of a Swift that cannot start the loader's line is shown`() throws {
    let line = "swift: error while loading shared libraries: libncurses.so.6: cannot open shared object file"
    let program = try checkToolchain("echo '\(line)' >&2; exit 127")
    #expect(try program.wait() == .exit(2))
    #expect(program.errors.contains("here is none (\(home("bin/swift"))).\n\(line)\nGet it from"), "\(program.errors)")
  }

  @Test(arguments: [".build/x86_64/debug", ".build/thread/x86_64/debug"])
  func `a build folder that was moved is named with the remedy`(folder: String) throws {
    // As the compiler writes it: a path between other bytes.
    func module(_ checkout: String) throws {
      try home.write(
        "\(folder)/ModuleCache/3W0/SwiftGlibc-1.pcm", "CPCH\u{1}\u{0}\(checkout)/\(folder)/ModuleCache\u{0}\u{2}")
    }
    try module(home.path)
    #expect(try checkToolchain(Self.current).wait() == .exit(0))
    try module("/home/ann/soundd")
    let program = try checkToolchain(Self.current)
    #expect(try program.wait() == .exit(2))
    #expect(
      program.errors.hasPrefix(
        ".build was made in /home/ann/soundd and cannot be used in another folder: rm -rf .build\n"))
  }

  // MARK: make bench

  @Test(arguments: [
    ("a|9|||<= 5|timed|", 0, "over (timed)"), ("a|-||||timed|see above", 0, "see above"),
    ("a|-|||<= 5|timed|", 0, "not measured"), ("a|2|1|2.00|<= 1|timed|", 0, "over (timed)"),
    ("a|5|||<= 5|counted|", 0, "ok"), ("a|9||||counted|", 0, ""), ("a|9|||<= 5|counted|", 1, "OVER"),
    ("a|-|||<= 5|counted|", 1, "NOT MEASURED"),
  ])
  func `only a counted row of the benchmarks decides their exit code`(row: String, code: Int, end: String) throws {
    let program = try home.start(program: Home.checkout + "/Benchmarks/table", [], input: .text(row + "\n"))
    #expect(try program.wait() == .exit(Int32(code)))
    #expect(program.text.hasSuffix("\(end)\n"), "\(program.text)")
  }

  /// The programs that measure are missing here, or fail.
  @Test func `a measurement of times that fails is a row, and the ones after it go on`() throws {
    let run = try String(contentsOfFile: Home.checkout + "/Benchmarks/run", encoding: .utf8)
    let functions = ["missing", "timed"].compactMap { name -> String? in
      guard let start = run.range(of: "\n\(name)() {") else { return nil }
      let rest = run[start.lowerBound...]
      let end =
        rest.dropFirst().prefix { $0 != "\n" }.hasSuffix("}")
        ? rest.dropFirst().range(of: "\n") : rest.range(of: "\n}\n")
      return end.map { String(rest[..<$0.upperBound]) }
    }
    try #require(functions.count == 2)
    let script = """
      set -euo pipefail
      \(functions.joined())
      half() { echo "first|1||||timed|"; false; echo "never|1||||timed|"; }
      { timed "a part" half; timed "another" true; timed "a third" /nowhere; echo "last|1|||<= 1|counted|"; } |
        \(Home.checkout)/Benchmarks/table
      """
    let program = try home.start(program: "bash", ["-c", script])
    #expect(try program.wait() == .exit(0), "\(program.errors)")
    let rows = program.text.split(separator: "\n")
    #expect(rows.count == 4 && !program.text.contains("never"), "\(program.text)")
    #expect(program.text.contains("a part") && program.text.contains("a third") && program.text.contains("last"))
  }
}
