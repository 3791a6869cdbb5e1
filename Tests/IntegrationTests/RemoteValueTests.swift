import Foundation
import Observation
import SoundTrigger
import Testing

/// `RemoteValue`, with a daemon in a process of its own.
struct RemoteValueTests {
  private let home: Home
  private let configuration: String

  init() throws {
    home = try Home()
    configuration = """
      [value.level]
      type = "number"
      [value.tree]
      type = "json"
      [value.button]
      type = "event"
      [value.file]
      file = "\(home("watched"))"
      """
  }

  private func daemon() throws -> Program { try home.daemon(configuration, "--device", "none") }

  private func value(_ name: String) -> RemoteValue { RemoteValue(name, socket: home.socket) }

  /// Waits until something holds, and leaves the thread to other tasks meanwhile.
  private func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
    let deadline = Deadline(in: Program.patience)
    while try !condition() {
      if deadline.isPast { throw TimedOut(description: "it never came true: \(what)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func eventually(_ value: RemoteValue, has text: String?) async throws {
    try await eventually("\(value.name) has \(text ?? "none")") { value.isConnected && value.text == text }
  }

  /// The contents that a task of its own takes from `changes`.
  private final class Consumer: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the lock guards all of it.
    private let lock = NSLock()
    private var contents: [String?] = []
    private var hasEnded = false
    private var task: Task<Void, Never>?

    init(_ changes: some AsyncSequence<String?, Never> & Sendable) {
      task = Task {
        for await content in changes { self.lock.withLock { self.contents.append(content) } }
        self.lock.withLock { self.hasEnded = true }
      }
    }

    var all: [String?] { lock.withLock { contents } }
    var isOver: Bool { lock.withLock { hasEnded } }
  }

  // MARK: Reading and setting

  @Test(arguments: ["open", "", " two words ", "a\nb\r\nc\n", "\"quoted\" \\ \t\u{1}é𝄞\u{2028}", "a=b", "{\"a\": 1}"])
  func `any text is set, read and followed as it is`(text: String) async throws {
    let program = try daemon()
    let value = value("door")
    // A value is trimmed unless it is declared otherwise.
    try home.write("config/soundd/config.toml", configuration + "\n[value.door]\ntrim = false\n")
    #expect(try home.run("reload").wait() == .exit(0))
    #expect(try await value.get() == nil)
    try await value.set(text)
    #expect(try await value.get() == text)
    try await eventually(value, has: text)
    #expect(value.problem == nil)
    program.send(signal: SIGTERM)
  }

  @Test func `numbers and documents are the text that get prints`() async throws {
    _ = try daemon()
    let (level, tree) = (value("level"), value("tree"))
    try await level.set("7.50")
    try await tree.set(#"{"b": [1, "x"], "a": null}"#)
    for (value, text) in [(level, "7.5"), (tree, #"{"a":null,"b":[1,"x"]}"#)] {
      try await eventually(value, has: text)
      let program = try home.run("get", value.name)
      try program.wait()
      #expect(program.text == text + "\n" || program.text == text)
      #expect(try await value.get() == text)
    }
  }

  @Test func `long contents are whole, and those beyond a line are refused`() async throws {
    _ = try daemon()
    let value = value("page")
    for letter in ["x", "y"] {
      let text = String(repeating: letter, count: 60_000)
      try await value.set(text)
      try await eventually(value, has: text)
    }
    let error = await #expect(throws: RemoteError.self) { try await value.set(String(repeating: "z", count: 70_000)) }
    #expect(error == .refused("the line is longer than 65536 bytes and was skipped", code: "too_long"))
    // Of a long file there is what 'get' prints.
    try home.write("watched", String(repeating: "f", count: 70_000))
    let file = self.value("file")
    try await eventually("its length is known") { file.text?.hasPrefix(#"{"length":70000,"sha256":""#) == true }
    #expect(try await file.get() == file.text)
  }

  @Test func `a refused set says why, until one succeeds`() async throws {
    try home.write("watched", "x")
    _ = try daemon()
    let level = value("level")
    try await level.set("1")
    try await eventually(level, has: "1")
    let error = await #expect(throws: RemoteError.self) { try await level.set("many") }
    guard case .refused(let text, "refused")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("'level'") && text.contains("'many'"), "\(text)")
    #expect(level.problem == text)
    #expect(level.text == "1")
    try await level.set("2")
    #expect(level.problem == nil)
    let file = value("file")
    await #expect(throws: RemoteError.self) { try await file.set("y") }
    #expect(file.problem?.contains(home("watched")) == true, "\(file.problem ?? "")")
    try await eventually(file, has: "x")
  }

  @Test func `what is no name is never asked for`() async throws {
    let value = value("two words")
    #expect(value.problem?.hasPrefix("'two words' is not a name") == true)
    let error = await #expect(throws: RemoteError.self) { try await value.set("x") }
    #expect(error == .invalidName("two words"))
    await #expect(throws: RemoteError.invalidName("two words")) { try await value.get() }
    #expect(value.text == nil && !value.isConnected)
  }

  // MARK: Following

  @Test func `every consumer gets the present content and each that follows, until the value goes`() async throws {
    _ = try daemon()
    try home.connect().send(line: "door=0")
    var value: RemoteValue? = value("door")
    try await eventually(try #require(value), has: "0")
    let consumers = [Consumer(try #require(value).changes), Consumer(try #require(value).changes)]
    for number in 0...3 {
      if number > 0 { try await value?.set("\(number)") }
      for consumer in consumers { try await eventually("it has \(number)") { consumer.all.last == "\(number)" } }
    }
    for consumer in consumers { #expect(consumer.all == ["0", "1", "2", "3"]) }
    // An unread sequence keeps the newest content.
    let changes = try #require(value).changes
    for number in 4...9 { try await value?.set("\(number)") }
    try await eventually(try #require(value), has: "9")
    let late = Consumer(changes)
    try await eventually("it has the newest") { late.all.last == "9" }
    #expect(late.all.count <= 2)
    value = nil
    for consumer in consumers + [late] { try await eventually("it ends") { consumer.isOver } }
  }

  @Test func `each arrival of an event is a change`() async throws {
    _ = try daemon()
    let button = value("button")
    try await eventually(button, has: nil)
    let consumer = Consumer(button.changes)
    try await eventually("it has none") { consumer.all == [nil] }
    for count in 2...4 {
      try await button.set("pressed")
      try await eventually("it came") { consumer.all.count == count }
    }
    #expect(consumer.all.dropFirst().allSatisfy { $0 == "pressed" })
  }

  @Test func `an observer reads the new state as soon as it is notified`() async throws {
    _ = try daemon()
    let value = value("door")
    try await eventually(value, has: nil)
    for number in 0..<20 {
      let (stream, continuation) = AsyncStream.makeStream(of: String?.self)
      withObservationTracking {
        _ = value.text
      } onChange: { [weak value] in
        continuation.yield(value?.text)
        continuation.finish()
      }
      try await value.set("\(number)")
      var contents = stream.makeAsyncIterator()
      #expect(await contents.next() == "\(number)")
    }
  }

  // MARK: Connections

  @Test func `without a daemon it says so, and follows as soon as there is one`() async throws {
    let value = value("level")
    try await eventually("it has tried") { value.problem != nil }
    #expect(value.problem == "no soundd is running on \(home.socket) (No such file or directory)")
    await #expect(throws: RemoteError.unavailable(value.problem ?? "")) { try await value.set("1") }
    await #expect(throws: RemoteError.self) { try await value.get() }
    let consumer = Consumer(value.changes)
    _ = try daemon()
    try home.connect().send(line: "level=3")
    try await eventually(value, has: "3")
    #expect(value.problem == nil)
    // The last content, with or without the beginning at nothing.
    try await eventually("it came") { consumer.all.last == "3" }
  }

  @Test func `after a restart of the daemon it has what changed meanwhile`() async throws {
    try home.write("watched", "before")
    let first = try daemon()
    let (file, door) = (value("file"), value("door"))
    try await door.set("open")
    try await eventually(file, has: "before")
    try await eventually(door, has: "open")
    let consumer = Consumer(file.changes)
    try await eventually("it began") { consumer.all == ["before"] }
    first.send(signal: SIGKILL)
    try first.wait()
    try await eventually("it has noticed") { !file.isConnected && file.problem != nil && door.problem != nil }
    #expect(file.text == "before")
    try home.write("watched", "after")
    let second = try daemon()
    try await eventually(file, has: "after")
    // Nobody has set it in this daemon.
    try await eventually(door, has: nil)
    try await eventually("it came") { consumer.all == ["before", "after"] }
    second.send(signal: SIGTERM)
    try second.wait()
    _ = try daemon()
    try await eventually("it is back") { file.isConnected && door.isConnected }
    // The same content again is no change.
    #expect(consumer.all == ["before", "after"])
  }

  @Test func `after a reload that reads it in another way it has no content, and then what get prints`() async throws {
    _ = try daemon()
    let value = value("note")
    try await value.set("seven")
    try await eventually(value, has: "seven")
    try home.write("config/soundd/config.toml", "[value.note]\ntype = \"number\"")
    #expect(try home.run("reload").wait() == .exit(0))
    try await eventually(value, has: nil)
    try await value.set("7.0")
    try await eventually(value, has: "7")
  }

  @Test func `a daemon that answers otherwise is told from soundd`() async throws {
    let program = try home.start(
      program: "/usr/bin/socat", ["UNIX-LISTEN:\(home.socket),fork", "SYSTEM:read line; echo HTTP/1.1 400 Bad Request"])
    let value = value("door")
    try await eventually("it has asked") { value.problem?.contains("does not answer as this soundd does") == true }
    #expect(!value.isConnected)
    program.send(signal: SIGTERM)
  }

  @Test func `a daemon of another user says so`() async throws {
    let words = "error: this soundd belongs to another user"
    let program = try home.start(
      program: "/usr/bin/socat", ["UNIX-LISTEN:\(home.socket),fork", "SYSTEM:read line; echo '\(words)'"])
    let value = value("door")
    try await eventually("it has asked") { value.problem?.contains("belongs to another user") == true }
    let error = await #expect(throws: RemoteError.self) { try await value.get() }
    #expect(error?.description.contains("belongs to another user") == true)
    await #expect(throws: RemoteError.self) { try await value.set("x") }
    program.send(signal: SIGTERM)
  }

  @Test func `a thousand values share one connection and one thread`() async throws {
    _ = try daemon()
    func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
    let before = try threads()
    let client = try home.connect()
    let values = (0..<1_000).map { value("many\($0)") }
    try client.send(line: "many7=x")
    try await eventually("all are connected") { values.allSatisfy(\.isConnected) }
    try client.send(line: "many999=y")
    try await eventually(values[7], has: "x")
    try await eventually(values[999], has: "y")
    #expect(try threads() - before < 50)
    // The one for the values, the one above and this one.
    #expect(try home.status()["clients"] as? Int == 3)
  }

  @Test func `each value that takes the place of another is connected, while a third one stays`() async throws {
    _ = try daemon()
    let kept = value("kept")
    try await eventually(kept, has: nil)
    for number in 1...20 {
      // The value before is gone, and its memory is free for this one.
      let value = value("replaced\(number)")
      try await value.set("\(number)")
      try await eventually(value, has: "\(number)")
    }
  }

  @Test func `two of one value have the same content, whichever came first`() async throws {
    _ = try daemon()
    let first = value("door")
    try await first.set("open")
    try await eventually(first, has: "open")
    let second = value("door")
    try await eventually(second, has: "open")
    try await second.set("shut")
    try await eventually(first, has: "shut")
  }

  @Test func `a refusal can be caught by its pattern`() async throws {
    _ = try daemon()
    let level = value("level")
    var caught = ""
    do {
      try await level.set("many")
    } catch RemoteError.refused(let text, _) where text.contains("many") {
      caught = text
    } catch {
      caught = "something else"
    }
    #expect(caught.contains("'level'"))
  }

  // MARK: The end

  @Test func `its thread and its connection end with the last reference, while it follows`() async throws {
    _ = try daemon()
    var value: RemoteValue? = value("door")
    weak let (object, follower) = (value, value?.follower)
    try await eventually(try #require(value), has: nil)
    #expect(try home.status()["clients"] as? Int == 2)
    value = nil
    #expect(object == nil)
    try await eventually("the thread has ended") { follower == nil }
    try await eventually("the connection has ended") { try home.status()["clients"] as? Int == 1 }
  }

  @Test func `without a daemon it ends, too, and neither consumers nor observers keep it alive`() async throws {
    var value: RemoteValue? = value("door")
    weak let follower = value?.follower
    let consumer = Consumer(try #require(value).changes)
    try await eventually("it has tried") { value?.problem != nil }
    withObservationTracking {
      _ = value?.text
    } onChange: {
    }
    value = nil
    try await eventually("all ends") { consumer.isOver && follower == nil }
  }
}
