import Foundation
import TestSupport
import Testing

struct ShippedSoundsScriptTests {
  @Test(.slow) func `it makes the committed sounds again, and the same bytes each time`() throws {
    try #require(
      hasSox, "sox is not in the PATH: install it (Debian: apt install sox), sounds/make-sounds needs it")
    let folder = FileManager.default.temporaryDirectory.appending(path: "make-sounds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }

    let first = folder.appending(path: "first time")
    let second = folder.appending(path: "second time")
    for made in [first, second] {
      let run = try run(arguments: [made.path])
      try #require(run.status == 0, "sounds/make-sounds failed: \(run.errors)")
      #expect(run.errors.isEmpty, "sox complains: \(run.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: made.path)
      #expect(names.sorted() == ShippedSoundPromise.all.map { "\($0.name).wav" }.sorted())
    }

    for promise in ShippedSoundPromise.all {
      let bytes = try [first, second].map { try Data(contentsOf: ShippedSound.file(promise.name, in: $0)) }
      #expect(bytes[0] == bytes[1], "\(promise.name) differs from run to run")

      // Another build of sox may round otherwise.
      let committed = try ShippedSound(promise.name).stored
      let made = try ShippedSound(promise.name, in: first).stored
      try #require(
        made.count == committed.count, "\(promise.name) has another length: commit what sounds/make-sounds makes")
      let difference = zip(made, committed).map { abs(Int($0) - Int($1)) }.max() ?? 0
      #expect(difference <= 1, "\(promise.name) is off by \(difference) steps: commit what sounds/make-sounds makes")
    }
  }

  @Test func `without sox it says what to install`() throws {
    let empty = FileManager.default.temporaryDirectory.appending(path: "make-sounds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: empty) }
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)

    let run = try run(arguments: [empty.appending(path: "out").path], path: empty.path)
    #expect(run.status == 69)
    #expect(run.errors == "make-sounds: sox is missing; install it (Debian: apt install sox)\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: empty.path).isEmpty)
  }

  private var hasSox: Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/sox") }
  }

  /// Runs the script; `path` replaces the PATH it sees.
  private func run(arguments: [String], path: String? = nil) throws -> (status: Int32, errors: String) {
    let process = Process()
    // Other tests ignore SIGPIPE in this process, which children inherit.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["--default-signal=PIPE", "/bin/bash", ShippedSound.folder.appending(path: "make-sounds").path] + arguments
    var environment = ProcessInfo.processInfo.environment
    // What a user keeps there must not change the sounds.
    environment["SOX_OPTS"] = "--norm"
    environment["PATH"] = path ?? environment["PATH"]
    process.environment = environment
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
