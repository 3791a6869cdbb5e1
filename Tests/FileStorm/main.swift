// FileStorm FILE METHOD WRITES SEED LENGTH: writes FILE over and over, as one of several processes that do so at once. METHOD
// is `place` (opened once, written over and never closed before the end), `rename` (written beside it and moved over it),
// `truncate` (emptied, written, closed) or `mixed`, where chance decides each time. A content has at most LENGTH bytes, at
// random, and says who wrote it and which one it is.
import Glibc

let arguments = CommandLine.arguments
guard arguments.count == 6, let writes = Int(arguments[3]), let seed = UInt64(arguments[4]),
  let length = Int(arguments[5])
else {
  print("usage: FileStorm FILE place|rename|truncate|mixed WRITES SEED LENGTH")
  exit(64)
}
let (path, method) = (arguments[1], arguments[2])
let beside = "\(path).\(getpid())"
var state = seed

/// A linear congruential generator's upper bits.
@MainActor func random(below bound: Int) -> Int {
  state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
  return Int(state >> 33) % bound
}

func check(_ what: String, _ result: Int) {
  if result >= 0 { return }
  print("\(what): \(String(cString: strerror(errno)))")
  exit(74)
}

func write(_ bytes: [UInt8], to name: String, _ flags: Int32) {
  let fd = open(name, O_WRONLY | O_CREAT | flags, 0o600)
  check("open \(name)", Int(fd))
  check("write \(name)", Glibc.write(fd, bytes, bytes.count))
  check("close \(name)", Int(close(fd)))
}

/// The file that `place` has open, which may long be another one than FILE.
var place: Int32 = -1
let filling = [UInt8](repeating: UInt8(ascii: "."), count: length)
for number in 1...writes {
  var bytes = Array("\(seed) \(number) ".utf8)
  bytes += filling.prefix(random(below: max(1, length - bytes.count)))
  let ways = ["place", "reopen", "rename", "truncate"]
  switch method == "mixed" ? ways[random(below: 4)] : method {
  case "place":
    if place < 0 {
      place = open(path, O_WRONLY | O_CREAT, 0o600)
      check("open \(path)", Int(place))
    }
    check("pwrite \(path)", pwrite(place, bytes, bytes.count, 0))
  case "reopen":
    // What is longer stays behind it.
    write(bytes, to: path, 0)
    if place >= 0 { close(place) }
    place = -1
  case "truncate": write(bytes, to: path, O_TRUNC)
  default:
    write(bytes, to: beside, O_TRUNC)
    check("rename \(beside)", Int(rename(beside, path)))
  }
}
