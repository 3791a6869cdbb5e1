import Foundation
import SoundTrigger
import Testing

@testable import soundd

/// What is shown to be copied can be copied.
struct ExamplesTests {
  private let environment = SystemEnvironment(
    variables: ["HOME": "/home/user", "XDG_RUNTIME_DIR": "/run/user/1000"], workingDirectory: "/work")

  private func read(_ text: String, file: String) throws -> Configuration {
    try ConfigurationText(file: file, bytes: Array(text.utf8)).configuration(environment)
  }

  private func locateSounds(of configuration: Configuration) throws {
    var sounds = SoundLocator(folders: [Repository.root.appending(path: "sounds").path])
    sounds.speechProblem = { _ in nil }
    for name in configuration.triggers.flatMap(\.definition.sound.names) { _ = try sounds.locate(name) }
  }

  @Test(arguments: try Repository.files(in: "examples", suffix: ".toml"))
  func `an example is a good configuration of shipped sounds`(path: String) throws {
    let configuration = try read(try Repository.text(path), file: path)
    #expect(!configuration.triggers.isEmpty)
    try locateSounds(of: configuration)
  }

  @Test(arguments: ["README.md", "docs/ACCESSIBILITY.md"])
  func `a configuration in the documents is good, and its sounds are shipped`(document: String) throws {
    let blocks = try Repository.text(document).split(separator: "```toml\n").dropFirst()
      .compactMap { $0.split(separator: "```").first.map(String.init) }
    #expect(!blocks.isEmpty)
    for block in blocks { try locateSounds(of: try read(block, file: document)) }
  }

  @Test(arguments: try Repository.files(in: "docs", suffix: ".md") + ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
  func `a link to a file leads somewhere`(document: String) throws {
    let folder = Repository.root.appending(path: document).deletingLastPathComponent()
    let targets = try Repository.text(document).split(separator: "](", omittingEmptySubsequences: false).dropFirst()
      .compactMap { $0.split(separator: ")").first.map(String.init) }
    for target in targets where !target.contains("://") && !target.hasPrefix("#") {
      let file = target.prefix { $0 != "#" }
      #expect(throws: Never.self, "\(target)") {
        try folder.appending(path: String(file)).checkResourceIsReachable()
      }
    }
  }
}
