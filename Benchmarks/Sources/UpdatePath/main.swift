// UpdatePath KIND TRIGGERS ROUNDS: ROUNDS lines `NAME=VALUE`, from their bytes to the decisions of the triggers. Each concerns
// one of TRIGGERS triggers. KIND is `same`, where no line changes a value, `text`, where each line chooses a sound from a table,
// `number`, `member`, where the triggers are members of one rule, or `wait`, where every trigger waits for the end of a debounce and each line moves one of these deadlines. Run it
// under callgrind.
import Glibc
import SoundTrigger
import SoundWire

/// The part of the daemon that carries out a line, for one client.
struct Rig {
  let store: ValueStore
  var engine: TriggerEngine
  var reader = LineReader()
  var changes: [Change] = []

  mutating func carryOut(_ chunk: Span<UInt8>, at now: Instant) {
    reader.feed(chunk) { line, _ in
      guard let line, let request = try? Request(line), case .assignment(let name, let value) = request,
        let (_, outcome) = try? store.assign(
          line.extracting(name), content: line.extracting(value), at: now, into: &changes)
      else { fatalError("the benchmark's own line is not an assignment") }
      if case .changed = outcome {
        engine.receive(changes, at: now)
        while !changes.isEmpty { changes.removeLast() }
        engine.removeDecisions()
      }
      return true
    }
  }
}

func run(
  _ contents: [String], _ kind: ValueKind, debounce: Duration? = nil, areMembers: Bool = false, triggers: Int,
  rounds: Int
) throws {
  let store = ValueStore(limit: triggers)
  var definitions: [TriggerDefinition] = []
  var ids: [ValueName: ValueID] = [:]
  for index in 0..<triggers {
    guard let name = ValueName("sensor/\(1_000_000 + index)") else { return }
    ids[name] = try store.declare(name, kind: kind, source: .client)
    let sound: SoundChoice =
      kind == .text ? .table([.text(Array("failed".utf8)): "error"], otherwise: "success") : .sound("success")
    if areMembers, index > 0 { continue }
    definitions.append(TriggerDefinition(name: "t\(index)", values: [name], sound: sound, debounce: debounce))
    if areMembers { definitions[0].patterns = [ValuePattern("sensor/*")].compactMap(\.self) }
  }
  var rig = Rig(
    store: store, engine: TriggerEngine(definitions: definitions, resolve: { ids[$0] ?? ValueID(index: 0) }))
  if areMembers { for (name, id) in ids { rig.engine.join(id, name, isEvent: false) } }
  // Every trigger decides, and the profile keeps it silent at the end: that is a decision without a play.
  rig.engine.setProfile(.silent, at: Instant(nanoseconds: 0))
  if debounce != nil {
    let before = Array("0.5".utf8)
    for (offset, id) in ids.values.enumerated() {
      _ = store.update(id, content: before.span, at: Instant(nanoseconds: 0), into: &rig.changes)
      rig.changes.removeAll()
      let change = Change(value: id, old: .number(0), new: .number(1))
      rig.engine.receive([change], at: Instant(nanoseconds: Int64(offset) - Int64(triggers)))
    }
  }
  // A value far into the table or, to move another deadline each time, all of them; 7,919 is a prime.
  let updated = debounce == nil ? [triggers * 7 / 10] : (0..<triggers).map { $0 * 7_919 % triggers }
  let lines = contents.map { content in updated.map { Array("sensor/\(1_000_000 + $0)=\(content)\n".utf8) } }
  for round in 0..<rounds {
    let line = lines[round / updated.count & 1][round % updated.count]
    rig.carryOut(line.span, at: Instant(nanoseconds: Int64(round) * 1000))
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let triggers = Int(arguments[2]), triggers > 0, let rounds = Int(arguments[3]) else {
  print("usage: UpdatePath same|text|number|member|wait TRIGGERS ROUNDS")
  exit(64)
}
switch arguments[1] {
case "same": try run(["passed", "passed"], .text, triggers: triggers, rounds: rounds)
case "text": try run(["passed", "failed"], .text, triggers: triggers, rounds: rounds)
case "wait": try run(["1.5", "2.5"], .number, debounce: .seconds(3_600), triggers: triggers, rounds: rounds)
case "member": try run(["1.5", "2.5"], .number, areMembers: true, triggers: triggers, rounds: rounds)
default: try run(["1.5", "2.5"], .number, triggers: triggers, rounds: rounds)
}
