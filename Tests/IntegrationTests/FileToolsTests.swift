import Foundation
import Testing

/// Files as sources of values: what people's tools do to files and folders, done by these tools.
struct FileToolsTests {
  /// Each is run by a shell in a folder where `a/b/f` holds `old`, and leaves `new` there.
  private static let saves = [
    "echo new > a/b/f",
    "echo new > a/b/f.tmp && mv a/b/f.tmp a/b/f",
    "sed -i s/old/new/ a/b/f",
    // vim with 'backupcopy' set to no, auto and yes.
    "mv a/b/f a/b/f~ && echo new > a/b/f && rm a/b/f~",
    "cp a/b/f a/b/f~ && echo new > a/b/f && rm a/b/f~",
    "cp -p a/b/f a/b/f~ && : > a/b/f && echo new >> a/b/f && rm a/b/f~",
    // emacs: the backup is a link to the old file.
    "ln a/b/f a/b/f~ && echo new > '.#f' && mv '.#f' a/b/f",
    "printf new | dd of=a/b/f conv=notrunc",
    "printf new > n && ln -f n a/b/f",
    "echo new > n && ln -sfn \"$PWD/n\" a/b/f",
    "echo new > n && install -m 600 n a/b/f",
    "echo new > n && cp --remove-destination n a/b/f",
    "rm a/b/f && echo new > a/b/f",
    "rm a/b/f && mkdir a/b/f && rmdir a/b/f && echo new > a/b/f",
    "rm a/b/f && mkfifo a/b/f && echo new > n && mv n a/b/f",
    "rm a/b/f && ln -s f a/b/f && rm a/b/f && echo new > a/b/f",
    "mv a/b c && mkdir a/b && echo new > a/b/f && echo no > c/f",
    "mv a c && mkdir -p a/b && echo new > a/b/f && echo no > c/b/f",
    "mkdir -p c/b && echo new > c/b/f && mv a old && mv c a",
    "rm -r a && mkdir -p a/b && echo new > a/b/f",
    "rm -r a && : > a && rm a && mkdir -p a/b && echo new > a/b/f",
    // Somebody's working folder lives on without a name.
    "w=$PWD; cd a/b && rm -r \"$w/a\" && mkdir -p \"$w/a/b\" && echo new > \"$w/a/b/f\"",
    "mkdir -p c/b && echo new > c/b/f && mv a old && ln -s c a",
    "mkdir -p 1 2 && mv a/b/f 1/f && echo new > 2/f && rmdir a/b && ln -s \"$PWD/1\" a/b && ln -sfn \"$PWD/2\" a/b",
    "mv a/b/f a/f && rmdir a/b && ln -s . a/b && echo new > a/f",
  ]

  @Test(arguments: saves) func `what a tool leaves behind is the value`(command: String) throws {
    let home = try Home()
    let daemon = try Self.start(home)
    try home.shell("cd watched && \(command)")
    try eventually("the file's content is the value") { try home.value("f")["value"] as? String == "new" }
    // And it is still watched.
    try home.shell("cd watched && echo newer > a/b/f")
    try eventually("the next change is seen too") { try home.value("f")["value"] as? String == "newer" }
    #expect(!daemon.errors.contains("every second"))
  }

  @Test func `a configuration map as Kubernetes mounts it is followed from version to version`() throws {
    let home = try Home()
    try home.shell(
      "mkdir -p watched/a/b/..v0 && cd watched/a/b && echo old > ..v0/f && ln -s ..v0 ..data && ln -s ..data/f f")
    let daemon = try Self.start(home, write: false)
    for version in 1...20 {
      try home.shell(
        """
        cd watched/a/b && mkdir ..v\(version) && echo \(version) > ..v\(version)/f && ln -s ..v\(version) ..data_tmp \
        && mv -T ..data_tmp ..data && rm -r ..v\(version - 1)
        """)
      try eventually("version \(version) is the value") { try home.value("f")["value"] as? String == "\(version)" }
    }
    #expect(!daemon.errors.contains("error"))
  }

  @Test func `a link to a name in another encoding is read all the same, and said to be read on a timer`() throws {
    let home = try Home()
    try home.shell(
      "mkdir -p watched/a/b && cd watched/a/b && echo old > \"$(printf 'caf\\351')\" && ln -s \"$(printf 'caf\\351')\" f"
    )
    let daemon = try Self.start(home, write: false)
    #expect(daemon.errors.contains("/watched/a/b/f is a link to a path that is not UTF-8"))
    try home.shell("cd watched/a/b && echo new > \"$(printf 'caf\\351')\"")
    try eventually("the target's new content is the value") { try home.value("f")["value"] as? String == "new" }
    try home.shell("cd watched/a/b && rm f && echo newer > f")
    try eventually("the file in its place is the value") { try home.value("f")["value"] as? String == "newer" }
  }

  @Test func `what is lost in a flood of events is read again`() throws {
    let home = try Home()
    let daemon = try Self.start(home)
    let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    daemon.send(signal: SIGSTOP)
    // Two names in turn, since equal events in a row count once.
    for number in 0..<(limit / 2 + 10) {
      let name = home("watched/a/b/\(number % 2)")
      close(open(name, O_CREAT | O_WRONLY, 0o600))
      unlink(name)
    }
    // Nothing of this fits into the queue.
    try home.shell("cd watched && mv a c && mkdir -p a/b && echo new > a/b/f")
    daemon.send(signal: SIGCONT)
    try eventually("the last content is the value") { try home.value("f")["value"] as? String == "new" }
    try home.shell("echo newer > watched/a/b/f")
    try eventually("the new folder is watched") { try home.value("f")["value"] as? String == "newer" }
  }

  // MARK: Permissions

  /// What makes root obey permissions as everybody else does.
  private static let withoutPrivileges =
    getuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

  @Test(arguments: ["watched/a/b/f", "watched/a/b", "watched/a"])
  func `a file or folder that is closed to us is reported, and read once it is open again`(place: String) throws {
    let home = try Home()
    try home.write("watched/a/b/f", "old\n")
    try home.write("config/soundd/config.toml", Self.configuration(home))
    let daemon = try home.start(["run", "--device", "none"], through: Self.withoutPrivileges)
    try daemon.waitForErrors("soundd: ready: ")
    // Opened before, because its permissions forbid that afterwards.
    let writer = open(home("watched/a/b/f"), O_WRONLY)
    #expect(chmod(home(place), 0) == 0)
    #expect(pwrite(writer, "new\n", 4, 0) == 4)
    close(writer)
    try daemon.waitForErrors("value 'f': \(home("watched/a/b/f")): Permission denied")
    #expect(try home.value("f")["value"] as? String == "old")
    #expect(chmod(home(place), 0o700) == 0)
    try eventually("the file can be read again") { try home.value("f")["value"] as? String == "new" }
    try home.write("watched/a/b/f", "newer\n")
    try eventually("it is watched again") { try home.value("f")["value"] as? String == "newer" }
  }

  private static func configuration(_ home: Home) -> String {
    "[value.f]\nfile = \"\(home("watched/a/b/f"))\"\n[[trigger]]\nvalue = \"f\"\nsound = \"tick\"\n"
  }

  private static func start(_ home: Home, write: Bool = true) throws -> Program {
    if write { try home.write("watched/a/b/f", "old\n") }
    let daemon = try home.daemon(configuration(home), "--device", "none")
    #expect(try home.value("f")["value"] as? String == "old")
    return daemon
  }
}

extension Home {
  /// Runs a command line in the home.
  fileprivate func shell(_ line: String) throws {
    let shell = try start(program: "/bin/sh", ["-c", line])
    guard try shell.wait() == .exit(0) else { throw TimedOut(description: "\(line): \(shell.errors)") }
  }
}
