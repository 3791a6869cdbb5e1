// PlayCost SOUNDS PLAYS: with SOUNDS loaded, each behind a trigger of its own, lets PLAYS changes play one of them: the
// update by name, the decision, the start, the block that begins it, the end, and the events back into the engine. To be
// run under callgrind.
import Glibc
import SoundTrigger

/// The part of the daemon's `Pipeline` that brings a change to its sound.
struct Rig: ~Copyable {
  let store = ValueStore()
  private var renderer: BlockRenderer
  private var conductor: Conductor

  init(sounds: Int) throws {
    let output = BlockOutput()
    renderer = BlockRenderer(output)
    var player = Player(output)
    var definitions: [TriggerDefinition] = []
    var ids: [ValueName: ValueID] = [:]
    for index in 0..<sounds {
      guard let name = ValueName("sensor/\(10_000 + index)") else { continue }
      ids[name] = try store.declare(name, kind: .text, source: .client)
      definitions.append(TriggerDefinition(name: "t\(index)", values: [name], sound: .sound("s\(index)")))
      // A block long, so that a play is over when its block is.
      player.sounds.set("s\(index)", .success(try Clip([Float](repeating: 0.25, count: 2 * 64), rate: 48_000)))
    }
    let engine = TriggerEngine(definitions: definitions, resolve: { ids[$0] ?? ValueID(index: 0) })
    conductor = Conductor(engine, player)
  }

  mutating func play(_ name: [UInt8], _ content: [UInt8], at now: Instant) throws {
    _ = try store.assign(name.span, content: content.span, at: now, into: &conductor.changes)
    conductor.decide(at: now)
    conductor.finish()
    renderer.render(at: now)
    _ = conductor.collect(at: now)
    conductor.finish()
  }

  /// How many plays were heard.
  var heard: Int { conductor.engine.counters(of: TriggerID(index: conductor.engine.definitions.count * 7 / 10)).played }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count == 2, numbers[0] > 0 else {
  print("usage: PlayCost SOUNDS PLAYS")
  exit(64)
}
try run(sounds: numbers[0], plays: numbers[1])

// A function, because Swift checks each access to a global variable while the program runs.
func run(sounds: Int, plays: Int) throws {
  var rig = try Rig(sounds: sounds)
  // A value far into the table. Its first content is where it begins.
  let name = Array("sensor/\(10_000 + sounds * 7 / 10)".utf8)
  let contents: [[UInt8]] = [Array("on".utf8), Array("off".utf8)]
  for play in 0...plays {
    try rig.play(name, contents[play & 1], at: Instant(nanoseconds: Int64(play + 1) * 1_000_000))
  }
  guard rig.heard == plays else {
    print("\(rig.heard) of \(plays) plays were heard")
    exit(70)
  }
}
