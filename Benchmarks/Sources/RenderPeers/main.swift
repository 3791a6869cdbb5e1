// RenderPeers SDLDEVICE: times the whole render path beside other mixers, in rounds that take turns. SDLDEVICE is the path
// of the library of that name. Prints rows for `table`.
import CMixer
import Glibc
import Peers

/// What is measured.
enum Bench {
  /// Frames of a block.
  static let frames = 64
  static let rounds = 75
  /// Voice-frames of a round: some passes over the clips, so that what the one before left in the caches does not decide,
  /// and few enough that all candidates meet the same state of the machine.
  static let voiceFrames = 2_000_000
}

/// The candidates that this machine has. A message names the missing ones.
func candidates(_ material: Material, device: String, label: String) throws -> [Candidate] {
  var found = [Candidate("soundd, AVX2", render: try material.mixer(level: 1))]
  let best = cmixer_levels() - 1
  if best > 1 {
    let name = String(cString: cmixer_kernel_at(best).pointee.name)
    found.append(Candidate("soundd itself on \(name)", render: try material.mixer(level: Int(best))))
  }
  func add(_ name: String, missing: UnsafePointer<CChar>?, render: @escaping (UnsafeMutablePointer<Float>) -> Void) {
    if let missing {
      row("\(name), \(label)", "", "none", "", "", String(cString: missing))
    } else {
      found.append(Candidate(name, render: render))
    }
  }
  add("bare AVX2 kernel", missing: bare_open(material.copy(isStaggered: true))) { bare_render($0, Bench.frames) }
  add("SDL2_mixer f32", missing: sdl_open(material.copy(isStaggered: false), device)) { sdl_render($0, Bench.frames) }
  add("OpenAL Soft", missing: openal_open(material.copy(isStaggered: false), 1)) { openal_render($0, Bench.frames) }
  return found
}

/// Whether all candidates render the same sound: only then is their time comparable. Says so of one that does not.
func agree(_ candidates: [Candidate], label: String, _ out: UnsafeMutablePointer<Float>) -> [Candidate] {
  let blocks = candidates.map { candidate in
    // The first blocks may hold a fade.
    for _ in 0..<32 { candidate.render(out) }
    return Array(UnsafeBufferPointer(start: out, count: 2 * Bench.frames))
  }
  return zip(candidates, blocks).filter { candidate, block in
    let difference = zip(block, blocks[0]).map { abs($0 - $1) }.max() ?? .infinity
    if difference < 1e-5 { return true }
    row("\(candidate.name), \(label)", "", "wrong", "", "", "renders something else, off by \(difference)")
    return false
  }.map(\.0)
}

/// A line of the table.
func row(_ what: String, _ ours: String, _ peer: String, _ ratio: String, _ wanted: String, _ note: String = "") {
  print([what, ours, peer, ratio, wanted, "timed", note].joined(separator: "|"))
}

func text(_ number: Double, digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((number * scale).rounded())
  let fraction = String(whole % Int(scale))
  return "\(whole / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// The wanted ratios at 1, at 8 and at 64 voices. The bare kernel has no part in what a block costs besides its voices,
/// which at one voice is nearly all of it.
let wanted = [
  "bare AVX2 kernel": ["", "<= 1.25", "<= 1.25"], "SDL2_mixer f32": [">= 6", "", ">= 12"],
  "OpenAL Soft": [">= 12", "", ">= 18"],
]

/// Times all candidates at so many voices, and prints a row for each but ours.
func compare(voices: Int, clipFrames: Int, label: String, wanted index: Int, _ out: UnsafeMutablePointer<Float>) throws
{
  let material = Material(voices: voices, clipFrames: clipFrames)
  let field = agree(try candidates(material, device: CommandLine.arguments[1], label: label), label: label, out)
  let blocks = max(1, Bench.voiceFrames / Bench.frames / voices)
  for round in 0..<Bench.rounds {
    // Another one begins each time, so that none always follows the same one.
    for turn in field.indices { field[(turn + round) % field.count].runRound(blocks: blocks, into: out) }
  }
  let unit = Double(blocks * Bench.frames * voices)
  let ours = field[0].median / unit
  for candidate in field.dropFirst() {
    let time = candidate.median / unit
    let isBare = candidate.name.hasPrefix("bare")
    // Against the bare kernel it is how much more ours takes, against the others how much less.
    let ratio = isBare ? ours / time : time / ours
    row(
      "\(candidate.name), \(label)", text(ours, digits: 3), text(time, digits: 3), text(ratio, digits: 2),
      wanted[candidate.name]?[index] ?? "")
  }
  sdl_close()
  openal_close()
}

guard CommandLine.arguments.count == 2 else {
  print("usage: RenderPeers SDLDEVICE")
  exit(64)
}
cmixer_flush_denormals()
let out = UnsafeMutablePointer<Float>.allocate(capacity: 2 * Bench.frames)
guard cmixer_levels() >= 2 else {
  row("render path beside its peers", "", "", "", "", "this processor has no AVX2")
  exit(0)
}
for (index, voices) in [1, 8, 64].enumerated() {
  let label = "\(voices) \(voices == 1 ? "voice" : "voices")"
  try compare(voices: voices, clipFrames: Material.shortClip, label: label, wanted: index, out)
}
try compare(voices: 64, clipFrames: Material.longClip, label: "64 voices, long clips", wanted: 2, out)
