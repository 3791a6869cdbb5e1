import Foundation
import TestSupport
import Testing

@testable import soundd

/// What a JSON Schema can see of a configuration it sees as the reader does: on every example, fixture and problem.
struct SchemaTests {
  /// A configuration, and what the reader says of it.
  struct Sample: Sendable {
    var text: [UInt8]
    var errors: [String]

    init(_ text: some Sequence<UInt8>) {
      self.text = Array(text)
      errors = ConfigurationDraft(self.text, file: "c", environment: .test).errors.map(\.description)
    }
  }

  /// Errors that no schema can see, as regular expressions, and why.
  private static let unseen = [
    (#"is of type|compares numbers|expect_every of each"#, "the type of the value is declared elsewhere"),
    (#"(to|from|equals)(\[\d+\])?: expected "#, "what fits depends on the type of the value"),
    (#"sounds\.\S+: (expected|is the same value)"#, "what is equal depends on the type of the value"),
    (
      #"follow from itself|this named pipe|already the name|limits\.values|value that is watched|there is no \[group|what it holds back|the same values as"#,
      "two places disagree"
    ),
    (
      #"must be less|no number lies|no value here|begins and ends|matches none|longer than loop_every|longer than that of|longer than 'expect_every'"#,
      "it compares"
    ),
    (#"only beneath the prefix of a feed"#, "the prefix is declared elsewhere"),
    (#"is not known|is not expanded|is not set|expected '}'|expected a variable"#, "the reader expands paths"),
    (#"\(at character"#, "only PCRE2 knows"),
    (#"expected \d+ m?s to|at most 8760 h\)|must be longer than 0|must be at most 60 s"#, "it reads no durations"),
    (#"expected a tone as|expected "pack:|expected a sound, found"#, "it reads no names of sounds"),
    (#"has a backspace"#, "TOML's own escapes are gone"),
    (#"expected a finite number"#, "JSON has no infinity"),
    (#"expected an integer, found a float"#, "in JSON 1.0 is an integer"),
  ]

  // MARK: Samples

  private static let wrong: [String] =
    (ConfigurationErrorTests.all + PatternConfigurationTests.mistakes).map(\.text)
    + ValueErrorTests.all.map { ValueErrorTests.head + $0.text }
    + TriggerErrorTests.all.map { TriggerErrorTests.head + $0.text }

  /// Durations and volumes, which have patterns.
  private static let texts =
    ["0 s", "0 ms", "0.5s", "00.10 min", "1  h", "1 m", "1s ", " 1s", "1.s", ".5 s", "1e3 s", "+1 s", "", "1\u{a0}s"]
    .flatMap { text in ["delay", "fade_in"].map { "\($0)='\(text)'" } }
    + ["'-6 dB'", "'-20db'", "'0 dB'", "'+0 dB'", "'+0.5 dB'", "'1 dB'", "'-6'", "'0.5'", "'1.0'", "'1.01'", "'-0'"].map
  {
    "volume=\($0)"
  } + ["0", "1", "0.5", "1.5", "-0.1", "true", "'loud'", "'-inf dB'", "'dB'", "'.5'"].map { "volume=\($0)" }

  /// Configurations: good ones, wrong ones, and what the fuzzer has made of them.
  private static func configurations() throws -> [Sample] {
    let blocks = try ["README.md", "docs/ACCESSIBILITY.md"].flatMap { page in
      try Repository.text(page).split(separator: "```toml\n").dropFirst().compactMap {
        $0.split(separator: "```").first
      }
    }
    let files =
      try Repository.files(in: "examples", suffix: ".toml")
      + Repository.files(in: "Fuzz/Corpus/configuration", suffix: "")
    let trigger = "[[trigger]]\nvalue='v'\nsound='x'\n"
    return try blocks.map { Sample($0.utf8) }
      + files.map { Sample(try Data(contentsOf: Repository.root.appending(path: $0))) }
      + wrong.map { Sample($0.utf8) }
      + texts.map { Sample((trigger + $0).utf8) }
  }

  /// Other documents, and what is no TOML at all.
  private static func documents() throws -> [Sample] {
    try Fixtures.paths(in: "toml-test", suffix: ".toml").map { Sample(try Fixtures.bytes("toml-test/\($0)")) }
  }

  // MARK: Validators

  /// Writes the samples into a folder of their own. Their names are numbers in this order.
  private func folder(of samples: [Sample]) -> TemporaryFolder {
    let folder = TemporaryFolder()
    for (index, sample) in samples.enumerated() { folder.write("\(10_000 + index).toml", sample.text) }
    return folder
  }

  /// What a program prints on its standard streams.
  private func output(of program: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Foundation.Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What the schema finds wrong with each sample, by Python's validator; `nil`: nothing.
  private func findings(_ samples: [Sample]) throws -> [String?] {
    let schema = Repository.root.appending(path: ConfigurationSchema.path).path
    let validate = Fixtures.folder.appending(path: "validate")
    let folder = folder(of: samples)
    let lines = try withExtendedLifetime(folder) {
      try output(of: validate, [schema, folder.path]).split(separator: "\n")
    }
    try #require(lines.count == samples.count, "\(lines.first ?? "")")
    return lines.map { $0.hasSuffix(".toml ok") ? nil : String($0) }
  }

  @Test(.slow) func `the schema accepts what the reader accepts, and refuses what it can see`() throws {
    let samples = try Self.configurations() + Self.documents()
    let unseen = try Self.unseen.map { try Regex($0.0) }
    var needed = Set<Int>()
    for (sample, finding) in zip(samples, try findings(samples)) {
      let text = String(decoding: sample.text, as: UTF8.self)
      if sample.errors.isEmpty { #expect(finding == nil, "refused: \(text)") }
      guard finding == nil else { continue }
      for error in sample.errors {
        let reason = unseen.firstIndex { error.contains($0) }
        #expect(reason != nil, "not seen: \(error)\n\(text)")
        if let reason { needed.insert(reason) }
      }
    }
    #expect(needed == Set(unseen.indices), "the schema sees what is said to be unseen")
    #expect(samples.count { $0.errors.isEmpty } > 50)
  }

  private static let taplo =
    ([Repository.root.appending(path: ".build/taplo/bin").path]
    + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init))
    .map { $0 + "/taplo" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: taplo != nil, "needs Taplo: make taplo"))
  func `Taplo accepts and refuses the same`() throws {
    // Taplo gives a date to the schema as a string.
    let samples = try Self.configurations().filter { !String(decoding: $0.text, as: UTF8.self).contains("1979-05-27") }
    let folder = folder(of: samples)
    let schema = Repository.root.appending(path: ConfigurationSchema.path).absoluteString
    let arguments = ["lint", "--no-auto-config", "--colors=never", "--schema", schema, folder.path + "/*.toml"]
    let report = try output(of: URL(filePath: try #require(Self.taplo)), arguments)
    for (index, (sample, finding)) in zip(samples, try findings(samples)).enumerated() {
      // It names a file in its finding and in its log, whose last line it may lose as it ends.
      let isRefused = report.contains("\(folder.path)/\(10_000 + index).toml")
      let text = String(decoding: sample.text, as: UTF8.self)
      if sample.errors.isEmpty { #expect(!isRefused, "\(text)") }
      if let finding { #expect(isRefused, "\(finding): \(text)") }
    }
  }
}
