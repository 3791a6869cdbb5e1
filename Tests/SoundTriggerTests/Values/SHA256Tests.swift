import Foundation
import SoundTrigger
import Testing

struct SHA256Tests {
  private func digest(_ bytes: [UInt8], chunk: Int = .max) -> String {
    var hash = SHA256()
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + min(chunk, bytes.count))
      hash.update(bytes.span.extracting(start..<end))
      start = end
    }
    return Hexadecimal.text(hash.finish())
  }

  @Test(arguments: [
    // FIPS 180-4's examples (NIST, "SHA256.pdf") and NIST CAVP's SHA256ShortMsg.rsp.
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `the standard's examples have the standard's digests`(message: String, expected: String) {
    #expect(digest(Array(message.utf8)) == expected)
    #expect(digest(Array(message.utf8), chunk: 1) == expected)
  }

  @Test func `a million times the letter a has the standard's digest, however it is cut`() {
    let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    for chunk in [63, 64, 65, 4096, 1_000_000] { #expect(digest(message, chunk: chunk) == expected) }
  }

  @Test func `every length up to three blocks agrees with sha256sum`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sha256-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var generator = SplitMix64(seed: 1)
    var contents: [String: [UInt8]] = [:]
    for length in Array(0...192) + [65_536, 65_537, 100_001] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      contents["\(length)"] = bytes
      try Data(bytes).write(to: folder.appending(path: "\(length)"))
    }
    // popen, for Foundation's Process leaks a little, which the leak sanitizer reports.
    let pipe = try #require(popen("cd '\(folder.path)' && exec sha256sum *", "r"))
    var output: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { output.append(UInt8(truncatingIfNeeded: byte)) }
    #expect(pclose(pipe) == 0)
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == contents.count)
    for line in lines {
      let parts = line.split(separator: " ")
      let bytes = try #require(contents[String(parts[1])])
      #expect(digest(bytes) == parts[0], "length \(bytes.count)")
      #expect(digest(bytes, chunk: 37) == parts[0], "length \(bytes.count) in pieces of 37")
    }
  }

  @Test func `a copy goes on independently of the original`() {
    var original = SHA256()
    original.update(Array("ab".utf8).span)
    var copy = original
    copy.update(Array("XYZ".utf8).span)
    original.update(Array("c".utf8).span)
    #expect(
      Hexadecimal.text(original.finish())
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
