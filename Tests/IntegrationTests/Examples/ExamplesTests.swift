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
    }
  }

  @Test func `the examples can be put together into one configuration`() throws {
    let home = try home.get()
    // The demonstration is none to copy from.
    let all = try Self.configurations.filter { $0 != "demo/config.toml" }
      .map { try String(contentsOfFile: "\(Home.examples)/\($0)", encoding: .utf8) }
    let check = try home.run("check", try home.write("all.toml", all.joined(separator: "\n")))
    #expect(try check.wait() == .exit(0), "\(check.errors)")
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
