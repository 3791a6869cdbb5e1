import Foundation
import Testing

/// More clients than the process may have files.
struct CrowdTests {
  private let home: Home
  private let daemon: Program

  init() throws {
    home = try Home()
    try home.write("file", "one\n")
    try home.write(
      "config/soundd/config.toml",
      """
      [value.file]
      file = "\(home("file"))"
      [value.entries]
      count = "\(home("folder"))"
      [[trigger]]
      value = ["file", "entries"]
      sound = "tick"
      """)
    try FileManager.default.createDirectory(atPath: home("folder"), withIntermediateDirectories: false)
    daemon = try home.start(["run", "--device", "none"], through: ["prlimit", "--nofile=64:64"])
    try daemon.waitForErrors("soundd: ready: ")
  }

  /// The processor time that the daemon has taken, in ticks.
  private var ticks: Int {
    let fields = (try? String(contentsOfFile: "/proc/\(daemon.pid)/stat", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 14 ? (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0) : 0
  }

  @Test func `who comes too late waits until others leave, and no change of a file is missed meanwhile`() throws {
    var crowd = try (0..<100).map { _ in try home.connect() }
    try daemon.waitForErrors("clients are connected, others wait until some leave: 64 files may be open")
    #expect(try crowd[0].ask("sync") == "ok")
    let before = ticks
    try home.replace("file", "two\n")
    try home.write("folder/entry", "")
    try eventually("the files are read though clients wait") {
      try crowd[0].ask("get file").contains("\"two\"") && crowd[0].ask("get entries").contains("\"value\":1,")
    }
    // Those who wait must not keep it busy.
    sleep(1)
    #expect(ticks - before < 50)
    for client in crowd[60...] { try client.send(line: "sync") }
    // Each one leaves when it has been answered.
    crowd.removeFirst(60)
    while !crowd.isEmpty { #expect(try crowd.removeFirst().line() == "ok") }
    #expect(daemon.errors.components(separatedBy: "others wait").count == 2)
  }
}
