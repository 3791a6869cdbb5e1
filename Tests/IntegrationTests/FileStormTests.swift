import Foundation
import Testing

/// Many processes that write one file at once: the last content is the one that counts.
struct FileStormTests {
  private static let storm = URL(fileURLWithPath: Home.soundd).deletingLastPathComponent()
    .appendingPathComponent("FileStorm").path

  /// Ten storms of 10,000 writes: how each of four processes writes, and how long its contents are at most.
  private static let storms: [(methods: [String], length: Int)] =
    ["place", "rename", "truncate", "mixed", "mixed", "mixed"].map { (Array(repeating: $0, count: 4), 100) } + [
      (["place", "rename", "truncate", "mixed"], 100), (["place", "place", "truncate", "rename"], 5000),
      (["mixed", "mixed", "mixed", "mixed"], 20_000), (["truncate", "truncate", "rename", "rename"], 20),
    ]

  /// A folder in memory, if there is one, because the file system of a disk delays renames and truncations.
  private final class FastFolder {
    let path: String

    init() throws {
      let memory = "/dev/shm"
      path = (access(memory, W_OK) == 0 ? memory : "/tmp") + "/sdi-\(UUID().uuidString.prefix(8))"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test func `of 100,000 writes by four processes the last content is the one that counts, every time`() throws {
    let home = try Home()
    let folder = try FastFolder()
    let path = folder.path + "/f"
    let daemon = try home.daemon(
      "[value.f]\nfile = \"\(path)\"\n[[trigger]]\nvalue = \"f\"\nsound = \"tick\"\n", "--device", "none")
    let connection = try home.connect()
    for (number, storm) in Self.storms.enumerated() {
      let writers = try storm.methods.enumerated().map { index, method in
        try home.start(
          program: Self.storm, [path, method, "2500", "\(number * 4 + index + 1)", "\(storm.length)"])
      }
      for writer in writers { #expect(try writer.wait() == .exit(0), "\(writer.text)") }
      let last = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
      try eventually("storm \(number) \(storm): the last content is decided: \(last.prefix(40))") {
        try JSON.object(connection.ask("get f"))["value"] as? String == last
      }
    }
    #expect(try home.decided("f") ?? 0 > 0)
    #expect(!daemon.errors.contains("error"))
  }

  @Test func `the same holds for contents of which only a fingerprint is kept`() throws {
    let home = try Home()
    let folder = try FastFolder()
    let path = folder.path + "/f"
    let daemon = try home.daemon("[value.f]\nfile = \"\(path)\"\n", "--device", "none")
    let connection = try home.connect()
    let writers = try ["truncate", "mixed", "rename", "place"].enumerated().map { index, method in
      try home.start(program: Self.storm, [path, method, "200", "\(index + 100)", "3000000"])
    }
    for writer in writers { #expect(try writer.wait() == .exit(0), "\(writer.text)") }
    let sum = try home.start(program: "sha256sum", [path])
    #expect(try sum.wait() == .exit(0))
    let digest = String(sum.text.prefix(64))
    try eventually("the last content is decided: \(digest)") {
      try connection.ask("get f").contains(digest)
    }
    #expect(!daemon.errors.contains("error"))
  }
}
