import Foundation
import SoundTrigger
import TestSupport
import Testing

@testable import soundd

/// Whatever happens to a log, the lines that arrive are those that a reader of each of its files would have read.
@Suite struct LinesSourceModelTests {
  /// The lines of all files, found without a position or a mark.
  private struct Model {
    var lines: [String] = []
    /// The incomplete line of the present file.
    var rest = ""

    mutating func append(_ text: String) {
      let parts = (rest + text).split(separator: "\n", omittingEmptySubsequences: false)
      lines += parts.dropLast().map { String($0) }
      rest = String(parts.last ?? "")
    }
  }

  @Test(arguments: 0..<(isQuick ? 4 : 20))
  func `appending, rotating, truncating and replacing at random`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let rig = try FileRig()
    let log = LineRecorder()
    rig.write("before\n", "f")
    let source = rig.lines("f", poll: seed % 4 == 3 ? .milliseconds(1) : nil, to: log)
    defer { source.stop() }
    var model = Model()
    var number = 0

    /// Some lines, the last one perhaps without its end; no two texts are alike.
    func text() -> String {
      var text = ""
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        number += 1
        text += "\(number)" + String(repeating: "x", count: Int.random(in: 0...200, using: &generator)) + "\n"
      }
      number += 1
      return Bool.random(using: &generator) ? text : text + "half \(number) "
    }

    for round in 0..<60 {
      let text = text()
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        rig.move("f", "f.\(round)")
        rig.write(text, "f")
        model.rest = ""
      case 1:
        #expect(truncate(rig.folder("f"), 0) == 0)
        rig.append(text, "f")
        model.rest = ""
      case 2:
        rig.replace(text, "f")
        model.rest = ""
      case 3:
        try rig.delete("f")
        rig.append(text, "f")
        model.rest = ""
      default: rig.append(text, "f")
      }
      model.append(text)
      // Polled, it is seen when the timer has come.
      try rig.loop.turn { log.lines.count >= model.lines.count }
      if seed % 4 == 3 { try rig.loop.runOnce(timeout: .milliseconds(20)) } else { try rig.loop.turnWhileBusy() }
      #expect(log.lines == model.lines)
      if log.lines != model.lines { return }
    }
    #expect(model.lines.count > 50)
  }
}
