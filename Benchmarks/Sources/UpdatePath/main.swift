// UpdatePath KIND TRIGGERS ROUNDS: ROUNDS updates by name, each concerning one of TRIGGERS triggers. KIND is `same`, where
// none changes anything, `text`, where each chooses a sound from a table, `number`, or `wait`, where all triggers wait for
// the end of a debounce and each update moves one of these deadlines; to be run under callgrind. `rate` does as `number`
// does and prints millions a second, the best of ten runs.
import Glibc
import SoundTrigger

func run(_ contents: [[UInt8]], _ kind: ValueKind, debounce: Duration? = nil, triggers: Int, rounds: Int) throws {
  let store = ValueStore(limit: triggers)
  var definitions: [TriggerDefinition] = []
  var ids: [ValueName: ValueID] = [:]
  for index in 0..<triggers {
    guard let name = ValueName("sensor/\(1_000_000 + index)") else { return }
    ids[name] = try store.declare(name, kind: kind, source: .client)
    let sound: SoundChoice =
      kind == .text ? .table([.text(Array("failed".utf8)): "error"], otherwise: "success") : .sound("success")
    definitions.append(TriggerDefinition(name: "t\(index)", values: [name], sound: sound, debounce: debounce))
  }
  var engine = TriggerEngine(definitions: definitions, resolve: { ids[$0] ?? ValueID(index: 0) })
  if debounce != nil {
    let before = Array("0.5".utf8)
    for (offset, id) in ids.values.enumerated() {
      _ = store.update(id, content: before.span, at: Instant(nanoseconds: 0))
      let change = Change(value: id, old: .number(0), new: .number(1))
      engine.process(change, at: Instant(nanoseconds: Int64(offset) - Int64(triggers))) { _ in .played }
    }
  }
  // A value far into the table or, to move another deadline each time, all of them; 7,919 is a prime.
  let updated = debounce == nil ? [triggers * 7 / 10] : (0..<triggers).map { $0 * 7_919 % triggers }
  let names = updated.map { Array("sensor/\(1_000_000 + $0)".utf8) }
  var played = 0
  for round in 0..<rounds {
    let now = Instant(nanoseconds: Int64(round) * 1000)
    let (name, content) = (names[round % names.count], contents[round / names.count & 1])
    let id = try store.idDeclaringIfNeeded(name.span)
    if case .changed(let change) = store.update(id, content: content.span, at: now) {
      engine.process(change, at: now) { _ in
        played += 1
        return .played
      }
    }
  }
}

/// Millions of changing, decided updates a second.
func rate(triggers: Int, rounds: Int) throws -> Double {
  var best = Duration.seconds(1_000)
  for _ in 0..<10 {
    let time = try ContinuousClock().measure {
      try run([Array("1.5".utf8), Array("2.5".utf8)], .number, triggers: triggers, rounds: rounds)
    }
    best = min(best, time)
  }
  return Double(rounds) / (best / .microseconds(1))
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let triggers = Int(arguments[2]), triggers > 0, let rounds = Int(arguments[3]) else {
  print("usage: UpdatePath same|text|number|wait|rate TRIGGERS ROUNDS")
  exit(64)
}
switch arguments[1] {
case "same": try run([Array("passed".utf8), Array("passed".utf8)], .text, triggers: triggers, rounds: rounds)
case "text": try run([Array("passed".utf8), Array("failed".utf8)], .text, triggers: triggers, rounds: rounds)
case "rate": print(try rate(triggers: triggers, rounds: rounds))
case "wait":
  try run(
    [Array("1.5".utf8), Array("2.5".utf8)], .number, debounce: .seconds(3_600), triggers: triggers, rounds: rounds)
default: try run([Array("1.5".utf8), Array("2.5".utf8)], .number, triggers: triggers, rounds: rounds)
}
