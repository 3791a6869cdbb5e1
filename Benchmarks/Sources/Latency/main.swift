// Latency prepare FOLDER: writes sounds and configurations. Latency measure FOLDER SOUNDD STAMP ROUNDS: sends events to
// the daemons of FOLDER (10.sock, 10000.sock) and to other players in turns, and times them until the default capture device
// hears them. STAMP is the path of the library CommitStamp. Prints rows for `table`.
import Glibc

/// Sends one event and waits until it was heard and all is quiet again.
///
/// `number` differs from event to event. A warm-up is not counted.
func run(_ candidate: Candidate, number: Int, isWarmUp: Bool, on recorder: Recorder) throws {
  // Not in step with the graph, whose cycles a fixed pause might meet always in the same phase.
  usleep(useconds_t.random(in: 0..<20_000))
  recorder.arm()
  candidate.commitTime.arm()
  let (sent, process) = try candidate.send(number)
  let deadline = sent + 2_000_000_000
  while recorder.heard == nil, monotonic() < deadline { usleep(2000) }
  if let process { waitpid(process, nil, 0) }
  // All sounds have ended, and soundd rests.
  while recorder.heard != nil, recorder.quiet < 100_000_000 { usleep(5000) }
  if let problem = recorder.problem { throw problem }
  guard let heard = recorder.heard, let committed = candidate.commitTime.committed else {
    candidate.lost += 1
    return
  }
  if !isWarmUp {
    candidate.heard.append(Double(heard - sent) / 1e6)
    candidate.commits.append(Double(committed - sent) / 1e6)
  }
}

func percentile(_ numbers: [Double], _ percent: Int) -> Double {
  let sorted = numbers.sorted()
  return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
}

func text(_ number: Double, digits: Int) -> String {
  guard number.isFinite else { return "-" }
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((number * scale).rounded())
  let fraction = String(whole % Int(scale))
  return "\(whole / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// A line of the table: how long ours and a peer take, and the wanted ratio.
func row(_ what: String, _ ours: Double?, _ peer: Double?, wanted: String = "", isHowOften: Bool = false) {
  var ratio = ""
  if let ours, let peer { ratio = text(isHowOften ? peer / ours : ours / peer, digits: 2) }
  print(
    [
      what, ours.map { text($0, digits: 3) } ?? "", peer.map { text($0, digits: 3) } ?? "", ratio, wanted, "timed", "",
    ].joined(separator: "|"))
}

func measure(folder: String, soundd: String, stamp: String, rounds: Int) throws {
  let recorder = try Recorder()
  let few = try CommitTime(path: "\(folder)/10.stamp")
  let many = try CommitTime(path: "\(folder)/10000.stamp")
  let player = try CommitTime(path: "\(folder)/player.stamp")
  let sound = "\(folder)/sound.wav"
  let aplay = Candidate(program: ["aplay", "-q", sound], name: "aplay", preload: stamp, commitTime: player)
  let pwPlay = Candidate(program: ["pw-play", sound], name: "pw-play", preload: stamp, commitTime: player)
  let socket = try Candidate(socket: "\(folder)/10.sock", name: "socket", events: 5, commitTime: few)
  let crowded = try Candidate(socket: "\(folder)/10000.sock", name: "socket, 10,000", events: 5, commitTime: many)
  let set = Candidate(
    program: [soundd, "set", "--socket", "\(folder)/10.sock", "x=EVENT"], name: "soundd set", preload: stamp,
    commitTime: few)
  let all = [aplay, socket, pwPlay, crowded, set]
  var number = 0
  for round in 0...rounds {
    for candidate in all {
      for _ in 0..<(round == 0 ? 1 : candidate.events) {
        number += 1
        try run(candidate, number: number, isWarmUp: round == 0, on: recorder)
      }
    }
  }
  report(socket: socket, crowded: crowded, set: set, aplay: aplay, pwPlay: pwPlay)
  for candidate in all where candidate.lost > 0 {
    print("lost events of \(candidate.name)|\(candidate.lost)|||<= 0|timed|")
  }
}

func report(socket: Candidate, crowded: Candidate, set: Candidate, aplay: Candidate, pwPlay: Candidate) {
  func p50(_ numbers: [Double]) -> Double { percentile(numbers, 50) }
  for (ours, limit) in [(socket, "<= 0.35"), (set, "<= 0.6")] {
    for peer in [aplay, pwPlay] {
      row(
        "event to sound on the monitor, ms: \(ours.name) vs \(peer.name)", p50(ours.heard), p50(peer.heard),
        wanted: peer === aplay ? limit : "")
    }
  }
  for peer in [aplay, pwPlay] {
    row(
      "bytes written to frames committed, ms: socket vs \(peer.name)", p50(socket.commits), p50(peer.commits),
      wanted: ">= 50", isHowOften: true)
  }
  row("the same, p50, ms", p50(socket.commits), nil, wanted: "<= 0.060")
  row("the same, p99 of \(socket.commits.count), ms", percentile(socket.commits, 99), nil, wanted: "<= 0.400")
  row(
    "bytes to frames, ms: 10,000 sounds vs 10 sounds", p50(crowded.commits), p50(socket.commits), wanted: "<= 1.15")
  row("event to sound, ms: 10,000 sounds vs 10 sounds", p50(crowded.heard), p50(socket.heard), wanted: "<= 1.15")
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch (arguments.first, arguments.count) {
  case ("prepare", 2): try Fixture.make(in: arguments[1], counts: [10, 10_000])
  case ("measure", 5):
    guard let rounds = Int(arguments[4]), rounds > 0 else { throw Problem("'\(arguments[4])' is no number of rounds") }
    try measure(folder: arguments[1], soundd: arguments[2], stamp: arguments[3], rounds: rounds)
  default:
    print("usage: Latency prepare FOLDER vs measure FOLDER SOUNDD STAMP ROUNDS")
    exit(64)
  }
} catch {
  print("Latency: \(error)")
  exit(69)
}
