import Testing

@testable import SoundTrigger
@testable import soundd

struct SizeTextTests {
  @Test(arguments: [
    ("1 KiB", 1024), ("256 MiB", 256 << 20), ("1.5GiB", 3 << 29), ("0 KiB", 0), ("0.5 KiB", 512), ("1   MiB", 1 << 20),
    ("999999999 GiB", 999_999_999 << 30),
  ])
  func `a size is a number and a unit`(text: String, bytes: Int) { #expect(SizeText.size(text) == bytes) }

  @Test(arguments: [
    "", "1", "KiB", "1 kib", "1 MB", "1.KiB", ".5 KiB", "-1 KiB", "1 KiB ", "1.2.3 KiB", "1234567890 KiB",
  ])
  func `anything else is none`(text: String) { #expect(SizeText.size(text) == nil) }

  @Test(arguments: [
    ("256M", "256 MiB"), ("256", "256 MiB"), ("256 mb", "256 MiB"), ("1g", "1 GiB"), ("64 kib", "64 KiB"),
    ("1.5 GB", "1.5 GiB"),
  ])
  func `what is nearly one is suggested`(text: String, suggestion: String) {
    #expect(SizeText.suggestion(for: text) == suggestion)
  }

  @Test(arguments: ["", "much", "1 x", "M", "1 KiB", "1 megabyte"])
  func `nothing else is suggested`(text: String) { #expect(SizeText.suggestion(for: text) == nil) }

  @Test(arguments: [
    (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (256 << 20, "256 MiB"),
    (1 << 40, "1024 GiB"),
  ])
  func `a size is written in the largest unit`(bytes: Int, text: String) { #expect(SizeText.text(bytes) == text) }

  @Test(
    arguments: [
      ("memory = '2 GiB'", nil, 2 << 30),
      (
        "memory = 1048576",
        "c:2:10: limits.memory: expected a size such as \(SizeText.examples), found an integer (did you mean '1 MiB'?)",
        0
      ),
      (
        "memory = '1M'",
        "c:2:10: limits.memory: expected a size such as \(SizeText.examples), found '1M' (did you mean '1 MiB'?)", 0
      ),
      (
        "memory = '1000 bytes'",
        "c:2:10: limits.memory: expected a size such as \(SizeText.examples), found '1000 bytes'", 0
      ),
      ("memory = '0.5 KiB'", "c:2:10: limits.memory: expected 1 KiB to 1024 GiB, found '0.5 KiB'", 0),
    ] as [(String, String?, Int)])
  func `limits_memory is a size`(line: String, error: String?, bytes: Int) throws {
    let text = Array("[limits]\n\(line)".utf8)
    let draft = ConfigurationDraft(text, file: "c", environment: .test)
    #expect(draft.errors.map(\.description) == [error].compactMap(\.self))
    if error == nil { #expect(draft.configuration.limits.memory == bytes) }
  }
}
