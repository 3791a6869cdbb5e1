// PlayCost SOUNDS PLAYS: with SOUNDS loaded, each behind a trigger of its own, lets PLAYS changes play one of them: the
// update by name, the decision, the start, the block that begins it, the end. To be run under callgrind.
import Glibc
import SoundTrigger

func run(sounds: Int, plays: Int) throws {
  let store = ValueStore()
  var definitions: [TriggerDefinition] = []
  var ids: [ValueID] = []
  // A block long, so that a play is over when its block is.
  let clips = (0..<sounds).map { _ in Clip(stereo: [Float](repeating: 0.25, count: 2 * 64), rate: 48_000) }
  for index in 0..<sounds {
    guard let name = ValueName("sensor/\(10_000 + index)") else { return }
    ids.append(try store.declare(name, kind: .text, source: .client))
    definitions.append(TriggerDefinition(name: "t\(index)", values: [name], sound: .sound("s\(index)")))
  }
  let identifiers = Dictionary(uniqueKeysWithValues: zip(definitions.map { $0.values[0] }, ids))
  var engine = TriggerEngine(definitions: definitions, resolve: { identifiers[$0] ?? ids[0] })
  let control = MixerControl(voiceLimit: 256, rate: 48_000)
  var mixer = control.makeMixer(level: 1)
  let out = UnsafeMutableRawPointer.allocate(byteCount: 64 * 2 * 4, alignment: 64)
  // A value far into the table.
  let name = Array("sensor/\(10_000 + sounds * 7 / 10)".utf8)
  let contents: [[UInt8]] = [Array("on".utf8), Array("off".utf8)]
  for play in 0..<plays {
    let now = Instant(nanoseconds: Int64(play) * 1_000_000)
    let id = try store.idDeclaringIfNeeded(name.span)
    let content = contents[play & 1]
    if case .changed(let change) = store.update(id, content: content.span, at: now) {
      engine.process(change, at: now) { action in
        switch action {
        case .stop: return .played
        case .play(_, let sound, _, _, _):
          return control.start(clips[sound.index], arrival: now.nanoseconds) == nil ? .crowded : .played
        }
      }
    }
    mixer.render(into: out, frames: 64, format: .int32, channels: 2)
    mixer.reportStarts(at: now.nanoseconds, delay: 0)
    control.collect()
  }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count == 2, numbers[0] > 0 else {
  print("usage: PlayCost SOUNDS PLAYS")
  exit(64)
}
try run(sounds: numbers[0], plays: numbers[1])
