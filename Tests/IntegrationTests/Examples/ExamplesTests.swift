import Foundation
import Testing

/// What holds for every example.
struct ExamplesTests {
  private let home = Result { try Home() }

  /// All files below `examples`, relative to it.
  private static let files: [String] = (FileManager.default.enumerator(atPath: Home.examples)?.allObjects ?? [])
    .compactMap { $0 as? String }
    .filter {
      (try? FileManager.default.attributesOfItem(atPath: "\(Home.examples)/\($0)"))?[.type] as? FileAttributeType
        == .typeRegular
    }
    .sorted()

  private static let configurations = files.filter { $0.hasSuffix(".toml") }

  @Test func `an example's configuration is good, with all of its sounds`() throws {
    let home = try home.get()
    #expect(Self.configurations.count > 10)
    for file in Self.configurations {
      let check = try home.run("check", "\(Home.examples)/\(file)")
      #expect(try check.wait() == .exit(0), "\(check.errors)")
      #expect(check.text.contains(": good"), "\(file)")
      #expect(!check.errors.contains("plays the same"), "\(file)")
    }
  }

  /// Those to copy from: not the demonstration, and not the one that `soundd init` writes.
  private static let recipes = configurations.filter { $0 != "demo/config.toml" && $0 != "first.toml" }

  private static func text(_ file: String) throws -> String {
    try String(contentsOfFile: "\(Home.examples)/\(file)", encoding: .utf8)
  }

  @Test func `the examples can be put together into one configuration, and a daemon runs with it`() throws {
    let home = try home.get()
    let all = try (["first.toml"] + Self.recipes).map(Self.text).joined()
    let check = try home.run("check", try home.write("all.toml", all))
    #expect(try check.wait() == .exit(0), "\(check.errors)")
    let triggers = all.split(separator: "\n").count { $0.hasPrefix("[[trigger]]") }
    #expect(check.text.contains("triggers: \(triggers),"), "\(check.text)")
    let daemon = try home.daemon(all, "--device", "none")
    #expect(try home.status()["triggers"] as? [Any] != nil)
    withExtendedLifetime(daemon) {}
  }

  @Test(arguments: recipes)
  func `an example says what it does, what to copy where, and how to try it`(file: String) throws {
    let head = try Self.text(file).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .prefix { $0.hasPrefix("#") }
    #expect(head.first?.wholeMatch(of: /# [A-Z].*/) != nil)
    #expect(
      file.hasPrefix("library/")
        || head.contains("# soundd add \(file.split(separator: "/")[0].split(separator: ".")[0])"))
    #expect(head.count { $0.hasPrefix("# Try it") } == 1)
    // Each file that the page copies is there, and the page names each file that is there.
    let words = head.joined(separator: " ").split(whereSeparator: { " `,:;|\"'".contains($0) }).map(String.init)
    for path in words where path.hasPrefix("examples/") && !path.hasSuffix("*") {
      #expect(FileManager.default.fileExists(atPath: "\(Home.checkout)/\(path)"), "\(path)")
    }
    let folder = file.split(separator: "/").dropLast().joined(separator: "/")
    for other in Self.files
    where !folder.isEmpty && folder != "library" && other.hasPrefix(folder + "/") && other != file {
      let name = other.split(separator: "/").last.map(String.init) ?? other
      #expect(head.contains { $0.contains(name) }, "\(name) is not mentioned")
    }
  }

  @Test func `every file of an example is run by a test, and the README names every example`() throws {
    let folder = "\(Home.checkout)/Tests/IntegrationTests/Examples"
    let tests = try FileManager.default.contentsOfDirectory(atPath: folder)
      .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
    let readme = try String(contentsOfFile: "\(Home.checkout)/README.md", encoding: .utf8)
    for file in Self.files {
      // Those of the library are built and heard by `make examples`.
      if !file.hasPrefix("library/") {
        #expect(tests.contains("\"\(file)\""), "no test runs examples/\(file)")
      }
      let example = file.split(separator: "/")[0]
      #expect(readme.contains("](examples/\(example))") || readme.contains("](examples/\(example)/"), "\(example)")
    }
  }
}
