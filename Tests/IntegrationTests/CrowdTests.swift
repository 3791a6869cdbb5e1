import Foundation
import Testing

/// More clients than the process may have files.
struct CrowdTests {
  private let home: Home

  init() throws {
    home = try Home()
    try home.write("file", "one\n")
    try FileManager.default.createDirectory(atPath: home("folder"), withIntermediateDirectories: false)
  }

  /// A daemon that may have so many files.
  private func daemon(files: Int, _ values: String = "") throws -> Program {
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

      """ + values)
    let daemon = try home.start(["run", "--device", "none"], through: ["prlimit", "--nofile=\(files):\(files)"])
    try daemon.waitForErrors("soundd: ready: ")
    return daemon
  }

  /// The processor time that the daemon has taken, in ticks.
  private func ticks(_ daemon: Program) -> Int {
    let fields = (try? String(contentsOfFile: "/proc/\(daemon.pid)/stat", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 14 ? (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0) : 0
  }

  /// What the daemon has open.
  private func descriptors(_ daemon: Program) throws -> [String] {
    let folder = "/proc/\(daemon.pid)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).map {
      // It may have been closed meanwhile.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) ?? "closed"
    }
  }

  @Test func `who comes too late waits until others leave, and no change of a file is missed meanwhile`() throws {
    let daemon = try daemon(files: 64)
    // They follow something, so none of them is closed for another.
    var crowd = try (0..<100).map { _ in
      let client = try home.connect()
      try client.send(line: "events nothing")
      return client
    }
    try daemon.waitForErrors("clients are connected, others wait until some leave: Too many open files, at most 64 (")
    let first = crowd.removeFirst()
    #expect(try first.line() == "ok")
    #expect(try first.ask("sync") == "ok")
    // A client that leaves makes room for one, and not for more.
    for client in crowd[..<25] { try client.send(line: "sync") }
    for _ in 0..<25 {
      let client = crowd.removeFirst()
      #expect(try [client.line(), client.line()] == ["ok", "ok"])
    }
    let open = try descriptors(daemon)
    #expect(open.count <= 50, "\(open)")
    let before = ticks(daemon)
    try home.replace("file", "two\n")
    try home.write("folder/entry", "")
    try eventually("the files are read though clients wait") {
      try first.ask("get file").contains("\"two\"") && first.ask("get entries").contains("\"value\":1,")
    }
    // Those who wait must not keep it busy.
    sleep(1)
    #expect(ticks(daemon) - before < 10)
    for client in crowd { try client.send(line: "sync") }
    while !crowd.isEmpty {
      let client = crowd.removeFirst()
      #expect(try [client.line(), client.line()] == ["ok", "ok"])
    }
    #expect(daemon.errors.components(separatedBy: "others wait").count == 2)
  }

  @Test func `one client that keeps every connection does not lock the others out`() throws {
    let daemon = try daemon(files: 64)
    let greedy = try (0..<100).map { _ in try home.connect() }
    try daemon.waitForErrors("clients are connected and another one waits: closed the one that was idle for longest (")
    for _ in 0..<3 {
      let program = try home.run("get", "file")
      #expect(try program.wait() == .exit(0))
      #expect(program.text == "one\n")
    }
    let evicted = try #require(try home.status()["evicted_clients"] as? Int)
    #expect(evicted >= 50)
    #expect(daemon.errors.components(separatedBy: "idle for longest").count == 2)
    #expect(try greedy[0].line().hasSuffix(" [busy]"))
  }

  @Test func `some are served even where the files of soundd are many`() throws {
    let lines = try (0..<80).map { number in
      "[value.lines\(number)]\nlines = \"\(try home.write("lines\(number)", ""))\"\n"
    }
    let daemon = try daemon(files: 128, lines.joined())
    let own = try descriptors(daemon).count
    #expect((96..<120).contains(own))
    let clients = try (0..<8).map { _ in try home.connect() }
    for client in clients { #expect(try client.ask("sync") == "ok") }
    #expect(!daemon.errors.contains("others wait"))
  }
}
