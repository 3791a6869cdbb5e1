import CLinux
import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

/// Files from others, decoded by the program soundd in a process of its own, and by scripts that misbehave.
@Suite(.disabled(if: isSanitized, "a sanitizer makes calls that the process may not make"))
struct DecodingCellTests {
  private let folder = TemporaryFolder()
  private let loader = ClipLoader(rate: 48_000)
  /// The built program lies beside the program that runs the tests.
  private static let soundd: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("soundd").path
    return FileManager.default.isExecutableFile(atPath: beside) ? beside : checkout + "/.build/debug/soundd"
  }()
  private static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private var cell: DecodingCell {
    var cell = DecodingCell(loader)
    cell.program = [Self.soundd, DecodingCell.command]
    return cell
  }

  /// A shell that gets the arguments of the process.
  private func cell(_ script: String) -> DecodingCell {
    var cell = DecodingCell(loader)
    cell.program = ["/bin/sh", "-c", script, Self.soundd]
    cell.patience = 500_000_000
    return cell
  }

  private func files(_ count: Int) -> [String] {
    (0..<count).map {
      folder.write("\($0).wav", WAVBuilder.int16([100, Int16($0), 300, 400], channels: 2, rate: 48_000))
    }
  }

  private func outcomes(_ results: [Result<Clip, SoundError>]?) -> [String] {
    (results ?? []).map { result in
      switch result {
      case .success: "ok"
      case .failure(.corrupt(_, let reason)):
        reason.hasPrefix("it is damaged, or made for an attack") ? "damaged" : reason
      // It is loaded again.
      case .failure(.noMemory): "late"
      case .failure(let error): "\(error)"
      }
    }
  }

  // MARK: Files

  @Test func `every file sounds as it does if it is decoded here, and fails as it does`() throws {
    let corpus = Self.checkout + "/Fuzz/Corpus/clip"
    let paths = try FileManager.default.contentsOfDirectory(atPath: corpus).sorted().map { "\(corpus)/\($0)" }
    let results = try #require(cell.decode(paths))
    #expect(results.count == paths.count && paths.count > 60)
    for (path, result) in zip(paths, results) {
      let here = Result { () throws(SoundError) in try loader.load(path: path) }
      switch (here, result) {
      case (.success(let here), .success(let there)):
        #expect(here.samples == there.samples && here.truncation == there.truncation, "\(path)")
      case (.failure(let here), .failure(let there)):
        #expect("\(here)".prefix(150) == "\(there)".prefix(150), "\(path)")
      default: Issue.record("\(path): \(here) here, \(result) there")
      }
    }
  }

  @Test func `a file that is none fails, and the others do not`() throws {
    let paths = [files(1)[0], "/nowhere", folder.path, files(1)[0]]
    let results = try #require(cell.decode(paths))
    #expect(outcomes(results).count == 4)
    #expect(outcomes(results)[0] == "ok" && outcomes(results)[3] == "ok")
    #expect(outcomes(results)[1].contains("No such file"))
    #expect(outcomes(results)[2].contains("not a regular file"))
  }

  @Test func `what is longer than the limit is refused`() throws {
    let path = folder.write(
      "long.wav", WAVBuilder.int16([Int16](repeating: 1, count: 200_000), channels: 1, rate: 48_000))
    var cell = DecodingCell(ClipLoader(rate: 48_000, limitSeconds: 2))
    cell.program = self.cell.program
    #expect(outcomes(cell.decode([path])) == ["the sound \(path) is longer than 2 s (limits.sound_seconds)"])
  }

  @Test func `more files than a process gets are decoded by several`() throws {
    #expect(outcomes(cell.decode(files(150))) == [String](repeating: "ok", count: 150))
  }

  // MARK: A process that misbehaves

  @Test(arguments: [
    "kill -9 $$", "exit 0", "sleep 60", "sleep 60 &", "echo ok 2 2", "echo ok 2 1000000 ''", "echo ok 2 -1 ''",
    "echo ok 999999999999 9223372036854775807 ''", "echo nonsense", "echo", "yes ok", "head -c 9999999 /dev/zero",
    "exit 69",
  ])
  func `whatever it does instead, its files are corrupt, in time`(script: String) {
    let started = clinux_monotonic()
    let found = outcomes(cell("echo confined; " + script).decode(files(2)))
    #expect(found.count == 2 && !found.contains("ok"), "\(found)")
    #expect(clinux_monotonic() - started < atMost(.seconds(20)).nanoseconds)
  }

  @Test func `a file that takes half of the time is corrupt, and no other is called so if the time is over`() {
    #expect(outcomes(cell("echo confined; sleep 60").decode(files(4))) == ["damaged", "late", "late", "late"])
  }

  @Test func `a file at which it ends is corrupt, and another process decodes the rest`() {
    let script = "[ $# -lt 7 ] || set -- $1 $2 $3 $4 $5 $6; exec \"$0\" \(DecodingCell.command) \"$@\""
    #expect(outcomes(cell(script).decode(files(3))) == ["ok", "damaged", "ok"])
  }

  @Test func `frames that no decoder would return are refused`() {
    // 1,000 times full scale, and no number: two frames of stereo each.
    for bytes in [#"\000\000\172\104"#, #"\000\000\300\177"#] {
      let script = "echo confined; printf '\(bytes)\(bytes)\(bytes)\(bytes)' >/proc/self/fd/$6; echo ok 2 2 ''"
      #expect(outcomes(cell(script).decode(files(1))) == ["its decoder returned no frames that can be played"])
    }
  }

  @Test func `if it cannot be started or confined, there is no result`() {
    var missing = DecodingCell(loader)
    missing.program = ["/nowhere/soundd"]
    #expect(missing.decode(files(1)) == nil)
    #expect(cell("exit 69").decode(files(1)) == nil)
  }

  // MARK: The kernel

  @Test(arguments: [
    ("socket(1, 1, 0)", "killed 31"), ("execl(\"/bin/true\", \"true\", NULL)", "killed 31"), ("fork()", "killed 31"),
    ("kill(getppid(), 0)", "killed 31"), ("mmap(0, 4096, 5, 0x22, -1, 0) != MAP_FAILED", "killed 31"),
    ("open(\"/etc/passwd\", 0)", "-1"), ("malloc(200 << 20) != 0", "0"), ("malloc(1 << 20) != 0", "1"),
    ("({ for (int i = 0; i < 3; i++) write(memory, block, sizeof block); 0; })", "killed 25"),
    ("({ for (;;) {} 0; })", "killed 9"),
  ])
  func `a confined process can do nothing but compute`(expression: String, outcome: String) throws {
    let program = """
      #define _GNU_SOURCE
      #include "clinux.h"
      #include <fcntl.h>
      #include <signal.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <sys/socket.h>
      #include <unistd.h>
      static char block[700 << 10];
      int main(void) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        int memory = memfd_create("", 0);
        if (clinux_confine(100 << 20, 1 << 20, 1)) _exit(69);
        char result = '0' + (char)(\(expression));
        if (result < '0') result = 'm';
        write(1, &result, 1);
        _exit(0);
      }
      """
    let (source, binary) = (folder.write("a.c", Array(program.utf8)), folder.path + "/a")
    func run(_ command: String, _ arguments: [String]) throws -> (status: String, text: String) {
      let process = Process()
      let output = Foundation.Pipe()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [command] + arguments
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let reason = process.terminationReason == .uncaughtSignal ? "killed" : "ended"
      return ("\(reason) \(process.terminationStatus)", text)
    }
    let sources = Self.checkout + "/Sources/CLinux"
    let compiled = try run("clang", ["-w", "-I", sources + "/include", "-o", binary, source, sources + "/confine.c"])
    #expect(compiled.status == "ended 0")
    let (status, text) = try run(binary, [])
    let found = status == "ended 0" ? (text == "m" || text == "/" ? "-1" : text) : status
    #expect(found == outcome)
  }
}
