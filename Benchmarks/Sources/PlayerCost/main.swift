// PlayerCost KIND BURST PLAYS: performs PLAYS plays of one trigger, BURST of them between two blocks, on both sides of the
// mixer's queue. KIND: `play` (each ends within its block), `mix` (each sounds on), `restart` (each stops the one before it;
// the last one before a block is heard, and fades out for 30 s). To be run under callgrind.
import Glibc
import SoundTrigger

func run(_ kind: String, burst: Int, plays: Int) throws {
  let output = BlockOutput()
  var renderer = BlockRenderer(output)
  var player = Player(output)
  let frames = kind == "play" ? 64 : 480_000
  player.sounds.set("s", .success(try Clip([Float](repeating: 0.25, count: 2 * frames), rate: 48_000)))
  let settings = PlaySettings(fadeOut: .seconds(30))
  let now = Instant(nanoseconds: 1)
  var decisions: [Decision] = []
  for number in 1...UInt64(plays) {
    if kind == "restart", number > 1 { decisions.append(.stop(PlayID(number - 1), by: .restart, at: now)) }
    decisions.append(.play(Play(id: PlayID(number), trigger: "t", sound: "s", settings: settings, at: now)))
    player.perform(decisions, arrival: now)
    decisions.removeAll(keepingCapacity: true)
    if number % UInt64(burst) == 0 {
      renderer.render(at: now)
      player.collect(at: now)
      player.finish()
    }
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let burst = Int(arguments[2]), let plays = Int(arguments[3]), burst > 0, plays > 0 else {
  print("usage: PlayerCost play|mix|restart BURST PLAYS")
  exit(64)
}
try run(arguments[1], burst: burst, plays: plays)
