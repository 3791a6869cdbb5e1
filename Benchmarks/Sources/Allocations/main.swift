// Allocations: counts calls of malloc where there must be none; exits with 1 if there are.
import AllocationCounter
import Glibc
import SoundTrigger

/// Prints a count, as a row for `table`; returns whether it is what it must be.
func report(_ what: String, _ count: UInt64, of rounds: Int, isLimited: Bool = true) -> Bool {
  print("\(what), \(rounds) rounds|\(count)|||\(isLimited ? "<= 0" : "")|counted|")
  return count == 0 || !isLimited
}

func allocations(_ body: () -> Void) -> UInt64 {
  let before = allocation_counter_of_this_thread()
  body()
  return allocation_counter_of_this_thread() - before
}

/// A million blocks of random starts, stops, fades, steals and loops.
func renderPath() throws -> Bool {
  let control = MixerControl(voiceLimit: 4, rate: 48_000)
  var mixer = control.makeMixer()
  let clips = try (0..<8).map { index in
    try Clip([Float](repeating: 0.3, count: 600 + 500 * index), rate: 48_000)
  }
  let out = UnsafeMutableRawPointer.allocate(byteCount: 64 * 8, alignment: 64)
  var state: UInt64 = 42
  func random(_ bound: UInt64) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % bound)
  }
  var last: VoiceID?
  var count: UInt64 = 0
  let blocks = 1_000_000
  for _ in 0..<blocks {
    switch random(16) {
    case 0...3:
      let clip = random(8)
      last = control.start(clips[clip], loops: clip % 4 == 0, offset: random(64), fadeIn: 32)
    case 4: if let last { control.stop(last, fadeFrames: 480) }
    case 5: control.setMasterGain(Float(random(3)) / 2, fadeFrames: 100)
    case 6: control.stopAll(fadeFrames: 64)
    default: break
    }
    count += allocations {
      mixer.render(into: out, frames: 64, format: .int16, channels: 2)
      mixer.reportStarts(at: 0, delay: 0)
    }
    control.collect()
  }
  return report("render path, \(control.statistics.stolen) voices stolen", count, of: blocks)
}

/// An update by name, as the socket makes it, decided by a trigger.
func valuePath(
  _ what: String, _ kind: ValueKind, _ contents: [String], json: String? = nil, match: String? = nil
) throws -> Bool {
  let store = ValueStore()
  guard let name = ValueName("build/status-of-the-day") else { return false }
  let extraction = Extraction(
    pointer: try json.map { try JSONPointer($0) }, pattern: try match.map { try Pattern($0) })
  try store.declare(name, kind: kind, source: .client, extraction: extraction)
  var engine = TriggerEngine(
    definitions: [TriggerDefinition(name: "t", values: [name], sound: .sound("s"), throttle: .seconds(1))],
    resolve: { _ in ValueID(index: 0) })
  let nameBytes = Array(name.description.utf8)
  let bytes = contents.map { Array($0.utf8) }
  var now = Instant(nanoseconds: 0)
  var changes: [Change] = []
  var played = 0
  func round() {
    for content in bytes {
      now.nanoseconds += 1000
      guard let id = try? store.idDeclaringIfNeeded(nameBytes.span) else { continue }
      if case .changed = store.update(id, content: content.span, at: now, into: &changes) {
        engine.receive(changes, at: now)
        changes.removeAll(keepingCapacity: true)
        played += engine.decisions.count
        engine.removeDecisions()
      }
    }
  }
  for _ in 0..<10 { round() }
  let rounds = 100_000
  let count = allocations { for _ in 0..<rounds { round() } }
  return report("\(what), \(played) plays", count, of: rounds * bytes.count)
}

/// Changes that wait, are cancelled, queue, loop and are refused, all of them recorded, with the ends of their plays. Each play
/// is an object. Beside that, only contents too long for a record are copied, shortened.
func decisions(_ what: String, _ contents: [Value], isLimited: Bool = true) throws -> Bool {
  guard let name = ValueName("v"), let cancel = ValueName("c") else { return false }
  let one = SoundChoice.sound("s")
  let wait = Duration.microseconds(5)
  let high = PlaySettings(importance: .high)
  let to = [contents[1], contents[2]]
  var engine = TriggerEngine(
    definitions: [
      TriggerDefinition(name: "debounce", values: [name], sound: one, debounce: wait, settings: high),
      TriggerDefinition(name: "delay", values: [name], sound: one, to: to, delay: wait, cancel: cancel, settings: high),
      TriggerDefinition(
        name: "queue", values: [name], sound: .list(["s", "t"], .random), cancel: cancel, overlap: .queue,
        settings: high),
      TriggerDefinition(
        name: "restart", values: [name], sound: .list(["s", "t"], .cycle), overlap: .restart, settings: high),
      TriggerDefinition(
        name: "loop", values: [name], sound: one, to: to, cancel: cancel, loop: .init(every: [wait]), settings: high),
      TriggerDefinition(name: "low", values: [name], sound: one),
    ],
    resolve: { ValueID(index: $0 == name ? 0 : 1) })
  engine.setProfile(.quiet, at: Instant(nanoseconds: 0))
  var plays = 0
  var changes = [Change(value: ValueID(index: 0), old: contents[0], new: contents[0])]
  let cancels = [Change(value: ValueID(index: 1), old: .bool(false), new: .bool(true))]
  var now = Instant(nanoseconds: 0)
  var events: [PlayEvent] = []
  func perform() {
    for case .play(let play) in engine.decisions {
      plays += 1
      if plays % 7 == 0 {
        events.append(.refused(play, .crowded))
      } else {
        events.append(.heard(play, isMuted: false))
        events.append(.ended(play, .finished))
      }
    }
    engine.removeDecisions()
    engine.removeChangedAlarms()
  }
  func round(_ number: Int) {
    changes[0].old = changes[0].new
    changes[0].new = contents[number % contents.count]
    now.nanoseconds += number % 7 == 0 ? 9_000 : 1_000
    engine.receive(changes, at: now)
    if number % 101 == 0 { engine.receive(cancels, at: now) }
    perform()
    if number % 3 == 0 {
      for event in events { engine.receive(event, at: now) }
      events.removeAll(keepingCapacity: true)
      perform()
    }
  }
  for number in 0..<10_000 { round(number) }
  let rounds = 100_000
  plays = 0
  let count = allocations { for number in 0..<rounds { round(number) } }
  return report("\(what), beside \(plays) plays", count - UInt64(plays), of: rounds, isLimited: isLimited)
}

guard allocation_counter_is_active() != 0 else {
  print("allocations are not counted under a sanitizer")
  exit(1)
}
let results = [
  try renderPath(),
  try valuePath("unchanged text", .text, ["passed\n"]),
  try valuePath("unchanged long text", .text, [String(repeating: "0123456789", count: 100)]),
  try valuePath("unchanged number", .number, [" 42.5 "]),
  try valuePath("unchanged number, written in turns", .number, ["1", "1.0", "1e0"]),
  try valuePath("unchanged bool", .bool, ["yes"]),
  try valuePath("unchanged JSON", .json, [#"{"a": [1, 2, 3], "b": "x"}"#]),
  try valuePath(
    "unchanged text in changing JSON", .text,
    [#"{"t":1,"a":{"b":"x\ny and what follows it"}}"#, #"{"t":22,"a":{"b":"x\ny and what follows it"}}"#], json: "/a/b"),
  try valuePath("unchanged number in changing text", .number, ["x t=5", "yyy t=5 zz"], match: "t=([0-9]+)"),
  try valuePath(
    "unchanged bool, both", .bool, [#"{"a":"is on"}"#, #"{"a":"now\ton"}"#], json: "/a", match: "on|off"),
  try valuePath("text without a match", .text, ["a", "b"], match: "nowhere"),
  try valuePath("changing number, decided", .number, ["1", "2"]),
  try decisions("every kind of decision, numbers", [.number(1), .number(2), .number(3)]),
  try decisions(
    "every kind of decision, long texts",
    [
      .text(Array(repeating: 1, count: 300)), .text(Array(repeating: 2, count: 300)),
      .json(Array(repeating: 3, count: 300)),
    ], isLimited: false),
]
exit(results.allSatisfy { $0 } ? 0 : 1)
