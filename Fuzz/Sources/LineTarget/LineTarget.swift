import Harness
import SoundTrigger

@testable import soundd

/// However a stream of lines is cut into chunks, the daemon does the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  // The model splits the lines in the simplest way; the other reads chunks as the daemon does.
  let model = Rig(LineConfiguration.shared)
  let byLine = Rig(LineConfiguration.shared)
  var sizes = CutSizes(of: input)
  var open: [UInt8] = []
  var now = Instant(nanoseconds: 0)
  for part in Stream(input).parts {
    open += part
    var lines = open.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    open = lines.popLast().map(Array.init) ?? []
    // As the event loop's timer has it: what is due is done before whatever comes then.
    for rig in [model, byLine] { rig.advance(to: now) }
    for line in lines { take(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, into: model, at: now) }
    byLine.feedLines(part, cutBy: &sizes, at: now)
    Finding.unless(byLine.isInsideLine == !open.isEmpty, "the reader is wrong about whether a line is open")
    now = now.advanced(by: .microseconds(700))
  }
  // A carriage return there ends no line and belongs to it.
  if !open.isEmpty { take(open[...], into: model, at: now) }
  byLine.finish(at: now)
  for rig in [model, byLine] { rig.advance(to: now.advanced(by: .seconds(10))) }
  compare(model, byLine)
  return 0
}

private func take(_ line: [UInt8].SubSequence, into model: Rig, at now: Instant) {
  let bytes = Array(line)
  model.take(bytes.count > 65_536 ? nil : bytes.span, model.lines + 1, at: now)
}

private func compare(_ model: Rig, _ rig: Rig) {
  Finding.unless(rig.lines == model.lines, "there are \(model.lines) lines, but \(rig.lines) were counted")
  Finding.unless(rig.notes == model.notes, "expected \(model.notes)\nbut had \(rig.notes)")
  let (state, other) = (model.state, rig.state)
  Finding.unless(other.values == state.values, "expected \(state.values)\nbut had \(other.values)")
  Finding.unless(other.contents == state.contents, "expected \(state.contents)\nbut had \(other.contents)")
  Finding.unless(other.deadline == state.deadline, "another deadline is next")
}
