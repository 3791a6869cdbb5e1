// PlayCost SOUNDS PLAYS: with SOUNDS loaded, each behind a trigger of its own, lets PLAYS changes play one of them: the
// update by name, the decision, the start, the block that begins it, the end, and the events back into the engine. To be
// run under callgrind.
import Glibc
import SoundTrigger

/// The part of the daemon's `Pipeline` that brings a change to its sound.
final class Rig {
  let store = ValueStore()
  let output = BlockOutput()
  private var player: Player
  private var engine: TriggerEngine
  private var decisions: [Decision] = []
  private var events: [PlayEvent] = []
  private var changes: [Change] = []

  init(sounds: Int) throws {
    player = Player(output)
    var definitions: [TriggerDefinition] = []
    var ids: [ValueName: ValueID] = [:]
    for index in 0..<sounds {
      guard let name = ValueName("sensor/\(10_000 + index)") else { continue }
      ids[name] = try store.declare(name, kind: .text, source: .client)
      definitions.append(TriggerDefinition(name: "t\(index)", values: [name], sound: .sound("s\(index)")))
      // A block long, so that a play is over when its block is.
      player.sounds.set("s\(index)", .success(Clip(stereo: [Float](repeating: 0.25, count: 2 * 64), rate: 48_000)))
    }
    engine = TriggerEngine(definitions: definitions, resolve: { ids[$0] ?? ValueID(index: 0) })
  }

  func play(_ name: [UInt8], _ content: [UInt8], at now: Instant) throws {
    let id = try store.idDeclaringIfNeeded(name.span)
    if case .changed(let change) = store.update(id, content: content.span, at: now) {
      changes.append(change)
      engine.receive(changes, at: now)
      changes.removeAll(keepingCapacity: true)
      settle(at: now)
    }
    output.render(at: now)
    player.collect(at: now)
    settle(at: now)
  }

  private func settle(at now: Instant) {
    while true {
      if engine.exchangeDecisions(&decisions) { player.perform(decisions, arrival: now) }
      guard player.exchangeEvents(&events) else { return }
      engine.receive(events, at: now)
    }
  }

  /// How many plays were heard.
  var heard: Int { engine.counters(of: TriggerID(index: engine.definitions.count * 7 / 10)).played }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count == 2, numbers[0] > 0 else {
  print("usage: PlayCost SOUNDS PLAYS")
  exit(64)
}
let rig = try Rig(sounds: numbers[0])
// A value far into the table. Its first content is where it begins.
let name = Array("sensor/\(10_000 + numbers[0] * 7 / 10)".utf8)
let contents: [[UInt8]] = [Array("on".utf8), Array("off".utf8)]
for play in 0...numbers[1] {
  try rig.play(name, contents[play & 1], at: Instant(nanoseconds: Int64(play + 1) * 1_000_000))
}
guard rig.heard == numbers[1] else {
  print("\(rig.heard) of \(numbers[1]) plays were heard")
  exit(70)
}
