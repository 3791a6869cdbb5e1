import Glibc
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Commands as real processes.
struct CommandSourceTests {
  /// What one command has reported.
  private final class Log: CommandSource.Owner {
    /// Lines, outputs and exit statuses.
    var texts: [String?] = []
    var pids: Set<pid_t> = []
    /// What was wrong, each time that it changed.
    var problems: [String?] = []
    var stales: [Bool] = []
    var source: CommandSource?

    func started() { if let pid = source?.process?.pid { pids.insert(pid) } }
    func staleChanged(_ isStale: Bool) { stales.append(isStale) }
    func problemChanged() { problems.append(source?.problem) }

    func received(_ content: Span<UInt8>?) {
      if let content {
        texts.append(content.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
      } else {
        texts.append(nil)
      }
    }
  }

  private let loop: EventLoop
  private let runner: CommandRunner
  private let folder = TemporaryFolder()

  init() throws {
    loop = try EventLoop()
    runner = CommandRunner(CommandRunner.Setting(.current()), on: loop)
  }

  private func command(_ line: String, every: Duration? = nil, timeout: Duration = .seconds(30)) -> ExternalCommand {
    ExternalCommand(arguments: ExternalCommand.shell(line), folder: folder.path, every: every, timeout: timeout)
  }

  private func run(_ command: ExternalCommand, by other: CommandRunner? = nil) -> Log {
    let log = Log()
    let source = CommandSource(command, by: other ?? runner, owner: log)
    log.source = source
    source.begin()
    return log
  }

  /// Ends a command, and waits until nothing is left of it.
  private func finish(_ logs: Log...) throws {
    for log in logs { log.source?.end() }
    try loop.turn { runner.isIdle }
    for pid in logs.flatMap(\.pids) { #expect(isGone(pid)) }
    #expect(!runner.stop())
  }

  /// Whether there is neither a process nor a zombie of this number, and nothing in its group.
  private func isGone(_ pid: pid_t) -> Bool {
    waitpid(pid, nil, WNOHANG) == -1 && errno == ECHILD && kill(pid, 0) == -1
  }

  // MARK: Output

  @Test func `the lines of a program that runs on come as it prints them`() throws {
    mkfifo(folder("go"), 0o600)
    let log = run(command("echo a; printf 'b\\r\\n'; read x < go; printf c"))
    try loop.turn { log.texts.count == 2 }
    let writer = open(folder("go"), O_RDWR | O_CLOEXEC)
    #expect(write(writer, "x\n", 2) == 2)
    try loop.turn { log.problems.count == 1 }
    close(writer)
    #expect(log.texts == ["a", "b", "c"])
    #expect(log.problems == ["it ended with exit status 0"])
    try finish(log)
  }

  @Test func `the output of a polled program counts as a whole, if it was a success`() throws {
    let log = run(command("echo a; echo b; test -e now", every: .milliseconds(10)))
    try loop.turn { !log.problems.isEmpty }
    #expect(log.texts == [])
    close(open(folder("now"), O_CREAT | O_CLOEXEC, 0o600))
    try loop.turn { !log.texts.isEmpty }
    #expect(log.texts[0] == "a\nb\n")
    #expect(log.problems.last == .some(nil))
    try finish(log)
  }

  @Test func `the exit status counts with take, and the last line of standard error without`() throws {
    var command = command("echo first >&2; printf 'last\\033[m' >&2; exit 7", every: .milliseconds(10))
    let log = run(command)
    try loop.turn { !log.problems.isEmpty }
    #expect(log.problems == ["it ended with exit status 7: 'last\\u{1b}[m'"])
    command.takesStatus = true
    let other = run(command)
    try loop.turn { !other.texts.isEmpty }
    #expect(other.texts[0] == "7")
    #expect(other.problems == [])
    try finish(log, other)
  }

  @Test func `an output and a line of more than 64 KiB are skipped`() throws {
    let polled = run(command("head -c 65537 /dev/zero", every: .seconds(60)))
    let line = run(command("head -c 70000 /dev/zero; echo; echo b; exec sleep 1000"))
    let whole = run(command("head -c 65536 /dev/zero", every: .seconds(60)))
    try loop.turn { line.texts.count == 2 && !polled.texts.isEmpty && !whole.texts.isEmpty }
    #expect(polled.texts == [nil])
    #expect(line.texts == [nil, "b"])
    #expect(whole.texts[0]?.utf8.count == 65_536)
    try finish(polled, line, whole)
  }

  @Test func `one that prints without end holds up no other, and is ended`() throws {
    let noisy = [run(command("yes")), run(command("yes >&2", every: .seconds(60)))]
    let quiet = run(command("echo 1", every: .milliseconds(10)))
    try loop.turn { quiet.texts.count >= 20 && noisy[0].texts.count > 100_000 }
    try finish(noisy[0], noisy[1], quiet)
  }

  // MARK: Ends

  @Test func `one that ignores SIGTERM is killed with all of its group`() throws {
    let log = run(command("trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000"))
    try loop.turn { log.texts.count == 1 }
    let child = try #require(log.texts[0].flatMap { pid_t($0) })
    let start = EventLoop.clock()
    try finish(log)
    #expect(start.duration(to: EventLoop.clock()) >= CommandLife.grace)
    // The kernel may take it a moment after the leader.
    try loop.turn { kill(child, 0) == -1 || isZombie(child) }
  }

  /// Whether another process has still to wait for it.
  private func isZombie(_ pid: pid_t) -> Bool {
    guard let bytes = try? InputFile.contents("/proc/\(pid)/stat", limit: 4096, as: "a test") else { return true }
    return String(decoding: bytes, as: UTF8.self).contains(") Z ")
  }

  @Test func `what a program leaves in its group ends with it, and does not delay its output`() throws {
    let log = run(command("sleep 1000 & echo $!", every: .seconds(60)))
    try loop.turn { log.texts.count == 1 }
    let child = try #require(log.texts[0].flatMap { pid_t($0.dropLast()) })
    try loop.turn { kill(child, 0) == -1 || isZombie(child) }
    try finish(log)
  }

  @Test func `a timeout ends a program that has closed its output and lives on`() throws {
    let log = run(command("exec >&- 2>&-; sleep 1000", every: .seconds(60), timeout: .milliseconds(50)))
    try loop.turn { !log.problems.isEmpty }
    #expect(log.problems == ["it did not end within 50 ms (timeout), and was ended"])
    try finish(log)
  }

  @Test func `a program that runs on is ended if it closes its output`() throws {
    let log = run(command("exec >&- 2>&-; sleep 1000"))
    try loop.turn { !log.problems.isEmpty }
    #expect(log.problems == ["it closed its standard output, and was ended"])
    try finish(log)
  }

  @Test func `a program that is replaced while it runs is not disturbed`() throws {
    let path = folder("p")
    func write(_ text: String) throws {
      let fd = open(folder("new"), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o700)
      #expect(Glibc.write(fd, text, text.utf8.count) == text.utf8.count)
      close(fd)
      #expect(rename(folder("new"), path) == 0)
    }
    try write("#!/bin/sh\necho old\nexec sleep 1000\n")
    let log = run(ExternalCommand(arguments: [path], folder: "/"))
    try loop.turn { log.texts == ["old"] }
    try write("#!/bin/sh\necho new\n")
    try loop.turnWhileBusy()
    #expect(log.texts == ["old"])
    #expect(log.problems == [])
    try finish(log)
  }

  // MARK: What a program gets

  @Test func `a program has no descriptor of soundd, its own group, and no blocked or ignored signal`() throws {
    let other = open("/dev/null", O_RDWR)
    defer { close(other) }
    let log = run(
      command("readlink /proc/self/fd/* | grep -vc '^/proc/'; grep -E 'Sig(Blk|Ign)' /proc/self/status; echo end"))
    try loop.turn { log.texts.last == "end" }
    // /dev/null, and the pipes of standard output and error.
    #expect(log.texts[0].flatMap { Int($0) } ?? 9 <= 3)
    #expect(log.texts[1] == "SigBlk:\t0000000000000000")
    #expect(log.texts[2] == "SigIgn:\t0000000000000000")
    let group = run(command("test $(ps -o pgid= -p $$) = $$", every: .seconds(60)))
    try loop.turn { !group.texts.isEmpty }
    try finish(log, group)
  }

  @Test func `arguments never reach a shell`() throws {
    let log = run(
      ExternalCommand(
        arguments: ["printf", "%s", "$(touch x); `id` 'a' $HOME"], folder: folder.path, every: .seconds(9)))
    try loop.turn { !log.texts.isEmpty }
    #expect(log.texts == ["$(touch x); `id` 'a' $HOME"])
    #expect(access(folder("x"), F_OK) == -1)
    try finish(log)
  }

  // MARK: Starts

  @Test(.disabled(if: isThreadSanitized, "the Thread Sanitizer forks where the program shares its memory"))
  func `a program that does not exist or is not executable is named, with what to do`() throws {
    close(open(folder("plain"), O_CREAT | O_CLOEXEC, 0o600))
    func log(_ program: String) -> Log { run(ExternalCommand(arguments: [program], folder: folder.path)) }
    let logs = [log("no-such-program"), log(folder("gone")), log(folder("plain")), log(folder.path)]
    let elsewhere = run(ExternalCommand(arguments: ["true"], folder: folder("none")))
    try loop.turn { logs.allSatisfy { !$0.problems.isEmpty } && !elsewhere.problems.isEmpty }
    let start = "it cannot be started: "
    #expect(
      logs[0].problems[0]
        == "\(start)there is no program 'no-such-program' in PATH: install it, or write its whole path")
    #expect(logs[1].problems[0] == "\(start)there is no program '\(folder("gone"))': correct its path")
    #expect(
      logs[2].problems[0]
        == "\(start)\(folder("plain")) is not executable: make it so (chmod +x \(folder("plain"))), or correct it")
    #expect(logs[3].problems[0] == "\(start)there is no program '\(folder.path)': correct its path")
    #expect(elsewhere.problems[0] == "\(start)the folder \(folder("none")): No such file or directory")
    for other in logs { other.source?.end() }
    try finish(elsewhere)
  }

  @Test func `starts that hang delay no other command, and their programs run when they come`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let runner = CommandRunner(CommandRunner.Setting(.current()), on: loop) { [gate = ends[0]] command, setting in
      var byte: UInt8 = 0
      if command.arguments == ["sleep", "1000"] { _ = read(gate, &byte, 1) }
      return CommandRunner.spawn(command, setting)
    }
    let hung = (0..<2).map { _ in
      run(ExternalCommand(arguments: ["sleep", "1000"], folder: "/", every: .milliseconds(10)), by: runner)
    }
    try loop.turn { hung[0].source?.life.state == .starting }
    let other = run(command("echo 1", every: .milliseconds(10)), by: runner)
    try loop.turn { other.texts.count > 3 }
    for log in hung { #expect(log.problems == ["it cannot be started: its file system does not answer"]) }
    other.source?.end()
    // One runs on; the other is not wanted any more.
    hung[1].source?.end()
    #expect(write(ends[1], "xx", 2) == 2)
    try loop.turn { hung.allSatisfy { $0.source?.life.starts == 1 } }
    #expect(hung[0].source?.life.state == .running)
    #expect(hung[0].source?.life.failures == 0)
    hung[0].source?.end()
    try loop.turn { runner.isIdle }
    for pid in hung[0].pids { #expect(isGone(pid)) }
    #expect(!runner.stop())
  }

  @Test func `of 200 polled commands at once eight run at a time, and all get their turn`() throws {
    let logs = (0..<200).map { _ in run(command("echo ok", every: .seconds(600))) }
    var most = 0
    try loop.turn {
      most = max(most, logs.count { $0.source?.life.isBusy == true })
      return logs.allSatisfy { !$0.texts.isEmpty }
    }
    #expect(most <= CommandRunner.mostPolled)
    for log in logs { log.source?.end() }
    try finish(logs[0])
  }

  @Test func `two hundred programs that run on are all there, and all end`() throws {
    let logs = (0..<200).map { _ in run(command("echo ok; exec sleep 1000")) }
    try loop.turn { logs.allSatisfy { !$0.texts.isEmpty } }
    #expect(Set(logs.flatMap(\.pids)).count == 200)
    for log in logs { log.source?.end() }
    try finish(logs[0])
    for pid in logs.flatMap(\.pids) { #expect(isGone(pid)) }
  }

  @Test func `one that exits at once is started again after a second`() throws {
    let start = EventLoop.clock()
    let log = run(command("echo x"))
    try loop.turn { log.texts.count == 2 }
    #expect(start.duration(to: EventLoop.clock()) >= .seconds(1))
    try finish(log)
  }

  @Test func `a thousand runs leave no process behind`() throws {
    let logs = (0..<4).map { _ in run(command("echo 1", every: .milliseconds(1))) }
    let end = EventLoop.clock().advanced(by: atMost(.seconds(60)))
    while logs.reduce(0, { $0 + $1.texts.count }) < 1000, EventLoop.clock() < end {
      try loop.runOnce(timeout: .milliseconds(100))
    }
    #expect(logs.reduce(0) { $0 + $1.texts.count } >= 1000)
    #expect(logs.allSatisfy { $0.problems.isEmpty })
    for log in logs { log.source?.end() }
    try finish(logs[0])
    for pid in logs.flatMap(\.pids) { #expect(isGone(pid)) }
  }
}
