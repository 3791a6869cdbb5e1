import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

@Suite struct StdinSourceTests {
  /// What one source has passed on.
  private final class Log {
    var lines: [String?] = []
    var ends: [String?] = []
  }

  private func source(_ fd: Int32, _ loop: EventLoop, _ log: Log) -> StdinSource {
    StdinSource(
      fd, on: loop,
      onLine: { line, number in
        if let line {
          log.lines.append(line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        } else {
          log.lines.append(nil)
        }
        #expect(number == log.lines.count)
      }, onEnd: { log.ends.append($0) })
  }

  @Test func `lines of a pipe come as they are written, the last one at the end`() throws {
    let loop = try EventLoop()
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let log = Log()
    let source = source(ends[0], loop, log)
    #expect(write(ends[1], "a=1\nb=", 6) == 6)
    try loop.turn { log.lines.count == 1 }
    #expect(write(ends[1], "2\r\nlast", 7) == 7)
    close(ends[1])
    try loop.turn { !log.ends.isEmpty }
    #expect(log.lines == ["a=1", "b=2", "last"])
    #expect(log.ends == [nil])
    try loop.turnWhileBusy()
    #expect(log.ends == [nil])
    withExtendedLifetime(source) {}
  }

  @Test func `a regular file is read to its end, a slice per turn`() throws {
    let loop = try EventLoop()
    let folder = TemporaryFolder()
    let lines = (0..<50_000).map { "v=\($0)" }
    let text = lines.joined(separator: "\n") + "\n"
    let fd = open(folder("f"), O_CREAT | O_RDWR, 0o600)
    defer { close(fd) }
    #expect(write(fd, text, text.utf8.count) == text.utf8.count)
    #expect(lseek(fd, 0, SEEK_SET) == 0)
    let log = Log()
    let source = source(fd, loop, log)
    #expect(log.lines.isEmpty)
    try loop.turn { !log.lines.isEmpty }
    #expect(log.lines.count < 20_000)
    try loop.turn { !log.ends.isEmpty }
    #expect(log.lines == lines)
    withExtendedLifetime(source) {}
  }

  @Test func `the null device and a closed descriptor end at once`() throws {
    let loop = try EventLoop()
    let null = open("/dev/null", O_RDONLY)
    defer { close(null) }
    let log = Log()
    let first = source(null, loop, log)
    try loop.turn { !log.ends.isEmpty }
    #expect(log.ends == [nil])
    let second = source(-1, loop, log)
    try loop.turn { log.ends.count == 2 }
    #expect(log.ends.last == "standard input: Bad file descriptor")
    withExtendedLifetime((first, second)) {}
  }

  @Test func `a folder is a problem`() throws {
    let loop = try EventLoop()
    let fd = open("/", O_RDONLY | O_DIRECTORY)
    defer { close(fd) }
    let log = Log()
    let source = source(fd, loop, log)
    try loop.turn { !log.ends.isEmpty }
    #expect(log.ends == ["standard input: Is a directory"])
    withExtendedLifetime(source) {}
  }

  @Test func `a socket and a terminal are read like a pipe`() throws {
    let loop = try EventLoop()
    var sockets: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    var master: Int32 = -1
    var terminal: Int32 = -1
    #expect(openpty(&master, &terminal, nil, nil, nil) == 0)
    defer { for fd in [sockets[0], terminal, master] { close(fd) } }
    let log = Log()
    let first = source(sockets[0], loop, log)
    #expect(write(sockets[1], "a\n", 2) == 2)
    try loop.turn { log.lines == ["a"] }
    close(sockets[1])
    try loop.turn { log.ends == [nil] }
    let terminalLog = Log()
    let second = source(terminal, loop, terminalLog)
    // Control-D on an empty line is the end of a terminal's input.
    #expect(write(master, "b\n\u{4}", 3) == 3)
    try loop.turn { terminalLog.ends == [nil] }
    #expect(terminalLog.lines == ["b"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `the last line counts without a line feed at the end, but not after an error`() throws {
    let loop = try EventLoop()
    for isReset in [false, true] {
      var sockets: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
      defer { close(sockets[0]) }
      let log = Log()
      let source = source(sockets[0], loop, log)
      #expect(write(sockets[1], "a\nb", 3) == 3)
      // A peer that leaves something unread resets the connection.
      if isReset { #expect(write(sockets[0], "unread", 6) == 6) }
      close(sockets[1])
      try loop.turn { !log.ends.isEmpty }
      #expect(log.lines == (isReset ? ["a"] : ["a", "b"]))
      #expect(log.ends == [isReset ? "standard input: Connection reset by peer" : nil])
      withExtendedLifetime(source) {}
    }
  }

  @Test func `a source that is stopped in its handler hands out nothing more`() throws {
    let loop = try EventLoop()
    let folder = TemporaryFolder()
    let fd = open(folder("f"), O_CREAT | O_RDWR, 0o600)
    defer { close(fd) }
    #expect(write(fd, "a\nb\nc", 5) == 5)
    #expect(lseek(fd, 0, SEEK_SET) == 0)
    var count = 0
    var source: StdinSource?
    source = StdinSource(
      fd, on: loop,
      onLine: { _, _ in
        count += 1
        source?.stop()
        source = nil
      }, onEnd: { _ in count += 100 })
    try loop.turnWhileBusy()
    #expect(count == 1)
    #expect(source == nil)
  }
}
