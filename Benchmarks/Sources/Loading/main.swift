// Loading SOUNDS [SOUNDD]: milliseconds that loading takes, one figure a line: `clip` is a sound of 1 s (44.1 kHz, stereo, 16
// bits) brought to 48 kHz; `sounds-48000` and `sounds-44100` are a hundred files of the sizes of those in the folder SOUNDS,
// on one thread; `ready-48000` and `ready-44100` are the program SOUNDD from its start with a configuration of those hundred
// until it says READY=1. `ready-files` is the same for 10,000 watched files in 1,000 folders, and `bytes-per-file` the resident
// memory that each of them takes. Medians from a warm cache.
import CLinux
import Glibc
import SoundTrigger

func fail(_ text: String) -> Never {
  print("Loading: \(text): \(String(cString: strerror(errno)))")
  exit(1)
}

func write(_ path: String, _ bytes: [UInt8]) {
  let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard fd >= 0, Glibc.write(fd, bytes, bytes.count) == bytes.count else { fail(path) }
  close(fd)
}

func read(_ path: String) -> [UInt8] {
  let fd = open(path, O_RDONLY)
  var status = stat()
  guard fd >= 0, fstat(fd, &status) == 0 else { fail(path) }
  var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
  guard Glibc.read(fd, &bytes, bytes.count) == bytes.count else { fail(path) }
  close(fd)
  return bytes
}

func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

/// A second of a sine of 440 Hz.
func second() -> [UInt8] {
  let samples = (0..<44_100).flatMap { frame -> [UInt8] in
    let sample = little(Int(8192 * sin(2 * Double.pi * 440 * Double(frame) / 44_100)), 2)
    return sample + sample
  }
  return Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
    + little(2, 2) + little(44_100, 4) + little(176_400, 4) + little(4, 2) + little(16, 2) + Array("data".utf8)
    + little(samples.count, 4) + samples
}

func median(_ rounds: Int, _ body: () throws -> Int64) rethrows -> Double {
  let times = try (0..<rounds).map { _ in try body() }.sorted()
  return Double(times[rounds / 2]) / 1e6
}

func time(_ body: () throws -> Void) rethrows -> Int64 {
  let start = clinux_monotonic()
  try body()
  return clinux_monotonic() - start
}

func report(_ name: String, _ milliseconds: Double) {
  let hundredths = Int((milliseconds * 100).rounded())
  print("\(name) \(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)")
}

/// The resident memory of a process, in bytes.
func residentMemory(of process: pid_t) -> Int {
  let fd = open("/proc/\(process)/statm", O_RDONLY)
  defer { close(fd) }
  var text = [UInt8](repeating: 0, count: 256)
  let count = Glibc.read(fd, &text, text.count)
  let fields = String(decoding: text[..<max(0, count)], as: UTF8.self).split(separator: " ")
  guard fields.count > 1, let pages = Int(fields[1]) else { fail("/proc/\(process)/statm") }
  return pages * Int(getpagesize())
}

/// Starts the program and returns how long it takes until it is ready, and how much memory it has then.
func timeToReady(_ program: String, home: String) -> (time: Int64, memory: Int) {
  let notify = "\(home)/notify"
  unlink(notify)
  let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
  guard socket >= 0, clinux_unix_bind(socket, notify) == 0 else { fail(notify) }
  defer { close(socket) }
  let arguments = [program, "run", "--config", "\(home)/config.toml", "--no-socket", "--log-level", "error"]
  var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  var environment: [UnsafeMutablePointer<CChar>?] = [strdup("NOTIFY_SOCKET=\(notify)"), nil]
  defer { for text in argv + environment { free(text) } }
  var child: pid_t = 0
  let start = clinux_monotonic()
  guard posix_spawn(&child, program, nil, nil, &argv, &environment) == 0 else { fail(program) }
  var message = [UInt8](repeating: 0, count: 4096)
  guard clinux_wait(socket, Int16(POLLIN), 20_000_000_000) > 0 else { fail("\(program) was not ready in 20 s") }
  let count = recv(socket, &message, message.count, 0)
  let end = clinux_monotonic()
  guard message[..<max(0, count)].starts(with: Array("READY=1".utf8)) else { fail("\(program) said something else") }
  let memory = residentMemory(of: child)
  kill(child, SIGTERM)
  var status: Int32 = 0
  waitpid(child, &status, 0)
  return (end - start, memory)
}

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
  print("usage: Loading SOUNDS [SOUNDD]")
  exit(64)
}
var template = Array("/tmp/soundd-loading-XXXXXX\0".utf8CString.dropLast())
guard mkdtemp(&template) != nil else { fail("mkdtemp") }
let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)

let loader = ClipLoader(rate: 48_000)
write("\(home)/second.wav", second())
report("clip", try median(51) { try time { _ = try loader.load(path: "\(home)/second.wav") } })

let shipped = [
  "success", "warning", "error", "selection", "increase", "decrease", "start", "stop", "alignment", "level-change",
  "path-complete", "impact", "impact-light", "impact-medium", "impact-heavy", "impact-rigid", "impact-solid",
  "impact-soft",
  "press", "release", "selection-on", "selection-off", "message", "tick", "alarm",
].map { read("\(arguments[1])/\($0).wav") }
mkdir("\(home)/sounds", 0o700)
for rate in [48_000, 44_100] {
  var configuration = "[output]\ndevice = \"none\"\nrate = 48000\n"
  let paths = (0..<100).map { number in
    var bytes = shipped[number % shipped.count]
    // The same frames, said to be of another rate.
    bytes.replaceSubrange(24..<28, with: little(rate, 4))
    let path = "\(home)/sounds/s\(number).wav"
    write(path, bytes)
    configuration += "[[trigger]]\nvalue = \"v\(number)\"\nsound = \"s\(number)\"\n"
    return path
  }
  write("\(home)/config.toml", Array(configuration.utf8))
  report("sounds-\(rate)", try median(11) { try time { for path in paths { _ = try loader.load(path: path) } } })
  if arguments.count > 2 { report("ready-\(rate)", median(11) { timeToReady(arguments[2], home: home).time }) }
  for path in paths { unlink(path) }
}
if arguments.count > 2 {
  let folders = (0..<1000).map { "\(home)/folder\($0)" }
  let paths = (0..<10_000).map { "\(folders[$0 / 10])/file\($0)" }
  for folder in folders { mkdir(folder, 0o700) }
  for path in paths { write(path, Array("passed".utf8)) }
  func configure(_ line: (Int) -> String) {
    let values = paths.indices.map { "[value.v\($0)]\n\(line($0))\n" }
    write("\(home)/config.toml", Array(("[output]\ndevice = \"none\"\n" + values.joined()).utf8))
  }
  configure { _ in "type = \"text\"" }
  let before = timeToReady(arguments[2], home: home).memory
  configure { "file = \"\(paths[$0])\"" }
  var memory = 0
  let time = median(5) {
    let run = timeToReady(arguments[2], home: home)
    memory = run.memory
    return run.time
  }
  report("ready-files", time)
  print("bytes-per-file \((memory - before) / paths.count)")
  for path in paths { unlink(path) }
  for folder in folders { rmdir(folder) }
}
for name in ["second.wav", "config.toml", "notify"] { unlink("\(home)/\(name)") }
rmdir("\(home)/sounds")
rmdir(home)
