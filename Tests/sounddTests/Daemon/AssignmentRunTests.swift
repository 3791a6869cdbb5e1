import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Lines that are carried out many at a time do what they do one by one.
struct AssignmentRunTests {
  private static let configuration = """
    [limits]
    values = 14
    [value.number]
    type = "number"
    [value.event]
    type = "event"
    [value.raw]
    trim = false
    [value.file]
    file = "/nowhere/file"
    [value.base]
    type = "number"
    [value.above]
    of = "base"
    above = 5
    [value.extracted]
    match = 'x(.*)'
    [value.expected]
    expect_every = "1 s"
    [[trigger]]
    value = ["number", "event", "raw", "base", "above", "extracted", "expected", "free", "this-name-is-longer-than-fifteen"]
    sound = "success"
    [[trigger]]
    value = "expected"
    when = "stale"
    sound = "error"
    [[trigger]]
    value = "number"
    above = 3
    delay = "2 ms"
    cancel = "free"
    sound = "warning"
    """

  /// A pipeline that notes what it does, and what it complains of.
  private final class Rig {
    let pipeline: Pipeline
    var notes: [String] = []
    var lines = 0

    init(isFollowed: Bool = false) throws {
      let text = AssignmentRunTests.configuration
      pipeline = try Pipeline(try Configuration.read(Array(text.utf8), file: "c.toml", environment: .test))
      pipeline.perform = { [unowned self] action in
        notes.append("\(action)")
        return .played
      }
      if isFollowed { pipeline.changed = { [unowned self] in notes.append("\($0) at \($1)") } }
      pipeline.refused = { [unowned self] in notes.append("\($0): \($1)") }
    }

    /// One line, as a client of the socket has it carried out.
    func takeLine(_ line: Span<UInt8>?, at now: Instant) {
      lines += 1
      do {
        guard let line else { throw RequestError.lineTooLong }
        let request = try Request(line)
        if try !pipeline.carryOut(request, of: line, at: now) { notes.append("\(lines): \(request)") }
      } catch {
        notes.append("\(lines): error: \(error)")
      }
    }

    /// All lines of a chunk, as many at once as possible.
    func takeRuns(_ chunk: Span<UInt8>, at now: Instant) -> Int {
      var reader = LineReader()
      var taken = 0
      var runs = 0
      while taken < chunk.count {
        let run = pipeline.carryOut(linesOf: chunk, from: taken, at: now)
        taken = run.end
        lines += run.lines
        runs += run.lines
        if let refusal = run.refusal {
          notes.append("\(lines): error: \(AssignmentProblem.value(refusal))")
          continue
        }
        taken += reader.feed(chunk.extracting(taken..<chunk.count)) { line, _ in
          takeLine(line, at: now)
          return false
        }
      }
      return runs
    }

    var state: [String] {
      pipeline.store.ids.map { "\(pipeline.store.snapshot(of: $0))" }
    }
  }

  private static let names = [
    "number", "event", "raw", "file", "base", "above", "extracted", "expected", "free",
    "this-name-is-longer-than-fifteen",
    "new1", "new2", "new3", "new4", "new5", "a b", "-x", "", "n\u{e9}", String(repeating: "n", count: 128),
    String(repeating: "n", count: 129), "number ", " number",
  ]
  private static let contents = [
    "1", "1.0", "4", "7", "nan", "x", "xa", " xa ", "", " ", "\t7\t", "a=b", "=", "this is longer than fifteen bytes",
    "this is longer than fifteen bytez", "12345678", "123456789012345", "1234567890123456", "\u{0}", "x\r", "\r",
  ]

  @Test(arguments: 0..<40, [false, true])
  func `a chunk of any lines does the same at once as line by line`(seed: UInt64, isFollowed: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let one = try Rig(isFollowed: isFollowed)
    let all = try Rig(isFollowed: isFollowed)
    var runs = 0
    for turn in 0..<60 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
          text +=
            ["# a comment", "", "{\"number\": 9, \"free\": \"y\"}", "sync", "no request", "\r"].randomElement(
              using: &random) ?? ""
        // The same few again and again, as most streams are.
        case 1...6:
          text +=
            "\(["number", "free", "raw"].randomElement(using: &random) ?? "")=\(["1", "7"].randomElement(using: &random) ?? "")"
        default:
          text +=
            "\(Self.names.randomElement(using: &random) ?? "")=\(Self.contents.randomElement(using: &random) ?? "")"
        }
        text += Bool.random(using: &random) ? "\n" : "\r\n"
      }
      let now = Instant(nanoseconds: Int64(turn) * 700_000)
      let chunk = Array(text.utf8)
      // As the daemon does while somebody follows.
      if isFollowed { for rig in [one, all] { rig.pipeline.settle(to: now) } }
      var reader = LineReader()
      reader.feed(chunk.span) { line, _ in
        one.takeLine(line, at: now)
        return true
      }
      runs += all.takeRuns(chunk.span, at: now)
      #expect(one.notes == all.notes)
      #expect(one.state == all.state)
      #expect(one.lines == all.lines)
      #expect(one.pipeline.nextDeadline == all.pipeline.nextDeadline)
      if one.notes != all.notes || one.state != all.state { return }
    }
    #expect(runs > one.lines / 4)
  }

  @Test(arguments: 0..<20)
  func `a chunk that ends anywhere in a line is taken up to that line`(rest: Int) throws {
    let rig = try Rig()
    let whole = Array("free=1\nraw=a\n".utf8)
    rig.takeLine(Array("free=0".utf8).span, at: Instant(nanoseconds: 0))
    let half = Array(Array("number=12345678901".utf8).prefix(rest))
    let run = rig.pipeline.carryOut(linesOf: (whole + half).span, from: 0, at: Instant(nanoseconds: 1))
    #expect(run.end == whole.count)
    #expect(run.lines == 2)
  }

  @Test func `a run pauses when triggers have decided often, and goes on where it stopped`() throws {
    let rig = try Rig()
    let lines = (0..<1000).map { "free=\($0)\n" }
    let chunk = Array(lines.joined().utf8)
    rig.takeLine(Array("free=".utf8).span, at: Instant(nanoseconds: 0))
    var run = rig.pipeline.carryOut(linesOf: chunk.span, from: 0, at: Instant(nanoseconds: 1))
    #expect(run.isPaused)
    #expect(run.lines < 100)
    var total = run.lines
    while run.isPaused {
      run = rig.pipeline.carryOut(linesOf: chunk.span, from: run.end, at: Instant(nanoseconds: 1))
      total += run.lines
    }
    #expect(total == 1000)
    #expect(run.end == chunk.count)
    let id = try #require(rig.pipeline.store.ids.first { rig.pipeline.store.name(of: $0).description == "free" })
    #expect(rig.pipeline.store.value(of: id) == .text(Array("999".utf8)))
  }

  @Test func `whoever follows is told of one change at a time, and between two of what they played`() throws {
    let rig = try Rig(isFollowed: true)
    let chunk = Array("free=1\nfree=1\nother=1\nfree=2\n".utf8)
    rig.takeLine(Array("other=0".utf8).span, at: Instant(nanoseconds: 0))
    var taken = 0
    var told: [Int] = []
    while taken < chunk.count {
      let run = rig.pipeline.carryOut(linesOf: chunk.span, from: taken, at: Instant(nanoseconds: 1))
      taken = run.end
      told.append(run.lines)
    }
    #expect(told == [1, 2, 1])
  }

  @Test func `a refused line is the last of its run, and counted`() throws {
    let rig = try Rig()
    let chunk = Array("free=1\nnumber=x\nfree=2\n".utf8)
    let run = rig.pipeline.carryOut(linesOf: chunk.span, from: 0, at: Instant(nanoseconds: 0))
    #expect(run.end == 16)
    #expect(run.lines == 2)
    guard case .refused(let name, _)? = run.refusal else {
      Issue.record("\(run) holds no refusal")
      return
    }
    #expect(name == "number")
  }

  @Test func `what is expected, or followed by another value, is left to be looked at by itself`() throws {
    let rig = try Rig()
    for line in ["expected=1", "base=1", "file=1", "above=true", "unknown=1"] {
      let run = rig.pipeline.carryOut(linesOf: Array("\(line)\n".utf8).span, from: 0, at: Instant(nanoseconds: 0))
      #expect(run.lines == 0, "\(line)")
      #expect(run.end == 0, "\(line)")
    }
  }
}
