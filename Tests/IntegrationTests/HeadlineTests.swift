import Foundation
import Testing

/// The promise in one sentence: a value changes, a sound is heard.
struct HeadlineTests {
  private static let configuration = """
    [[trigger]]
    value = "build"
    sounds = { passed = "success", failed = "error" }
    """

  private func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  @Test func `four lines play exactly the two changes, sample for sample what sox decodes`() throws {
    let home = try Home()
    let out = home("out.raw")
    let error = try Recording(shipped: "error")
    let success = try Recording(shipped: "success")
    let daemon = try home.daemon(
      Self.configuration, "-", "--no-socket", "--device", "file:\(out),raw", input: .pipe)
    daemon.write("build=passed\nbuild=failed\n")
    try eventually("the first sound is over") { size(out) >= 8 * error.frames }
    daemon.write("build=failed\nbuild=passed\n")
    daemon.closeInput()
    #expect(try daemon.wait() == .exit(0))

    let heard = try Recording(raw: out)
    var expected = Recording(silence: heard.frames)
    let first = try heard.start(of: error)
    try expected.add(error, at: first)
    let second = try heard.start(of: success, from: first + error.frames)
    try expected.add(success, at: second)
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `sounds that overlap are summed exactly`() throws {
    let home = try Home()
    let out = home("out.raw")
    let error = try Recording(shipped: "error")
    let success = try Recording(shipped: "success")
    let daemon = try home.daemon(Self.configuration, "-", "--device", "file:\(out),raw", input: .pipe)
    daemon.write("build=passed\nbuild=failed\n")
    try eventually("a tenth of a second has been played") { size(out) >= 8 * 4800 }
    daemon.write("build=passed\n")
    daemon.closeInput()
    #expect(try daemon.wait() == .exit(0))

    let heard = try Recording(raw: out)
    var expected = Recording(silence: heard.frames)
    let first = try heard.start(of: error)
    try expected.add(error, at: first)
    // The samples are multiples of 2⁻¹⁵, so that sums and differences of a few are exact.
    let rest = Recording(samples: zip(heard.samples, expected.samples).map { $0 - $1 })
    let second = try rest.start(of: success)
    #expect(second > first && second < first + error.frames, "they were to overlap")
    try expected.add(success, at: second)
    #expect(heard.difference(from: expected) == nil)
  }

  @Test func `a reading that repeats, or comes back, within one transaction is silent`() throws {
    let home = try Home()
    let daemon = try home.daemon(
      Self.configuration, "-", "--device", "none", input: .pipe)
    daemon.write("build=passed\n{\"build\": \"failed\", \"build\": \"passed\"}\nbuild=passed\nother=1\n")
    try eventually("the lines have arrived") { try home.connect().ask("get other").contains("\"updates\"") }
    #expect(try home.played("build") == 0)
    daemon.write("build=failed\n")
    try eventually("the change has arrived") { try home.played("build") == 1 }
  }
}
