// UpdatePath KIND ROUNDS: ROUNDS updates by name of KIND (same, change); with `same` none changes anything. To be run
// under callgrind.
import Glibc
import SoundTrigger

func run(_ contents: [[UInt8]], _ name: ValueName, rounds: Int) throws {
  let store = ValueStore()
  let id = try store.declare(name, kind: .text, source: .client)
  var engine = TriggerEngine(
    definitions: [
      TriggerDefinition(
        name: "t", value: name, sound: .table([.text(Array("failed".utf8)): "error"], otherwise: "success"))
    ],
    resolve: { _ in id })
  let nameBytes = Array(name.description.utf8)
  var played = 0
  for round in 0..<rounds {
    let now = Instant(nanoseconds: Int64(round) * 1000)
    let content = contents[round & 1]
    let id = try store.idDeclaringIfNeeded(nameBytes.span)
    if case .changed(let change) = store.update(id, content: content.span, at: now) {
      engine.process(change, at: now) { _ in
        played += 1
        return .played
      }
    }
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let rounds = Int(arguments[2]), let name = ValueName("build") else {
  print("usage: UpdatePath same|change ROUNDS")
  exit(64)
}
try run(
  (arguments[1] == "same" ? ["passed", "passed"] : ["passed", "failed"]).map { Array($0.utf8) }, name, rounds: rounds)
